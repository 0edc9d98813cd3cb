import { ActionIcon, Autocomplete, Button, NumberInput, Select, Text, TextInput } from '@mantine/core';
import { useOperation } from '../../../shared/api/index.ts';
import { IconPlus, IconX } from '../../../shared/icons.ts';
import { Failure } from '../../../shared/ui/index.ts';
import { readField, textOf, writeField } from '../fields.ts';
import { t } from '../messages/index.ts';
import {
  readTraitFilter,
  type TraitFilter,
  type TraitGroup,
  type TraitRow,
  type TraitTest,
  writeTraitFilter,
} from '../trait-filter.ts';
import type { Fields } from '../tree/node.ts';
import styles from './cards.module.css';

/** A query is only offered where there is one. */
const tests: readonly TraitTest[] = ['is', 'not', 'atLeast', 'over', 'atMost', 'under', 'query'];

interface Choice {
  value: string;
  label: string;
}

interface FilterParts {
  filter: TraitFilter;
  /** What a condition is called: a trait of an NFT, a detail of an account. NFTs are counted: an account is one. */
  noun: Noun;
  typeChoices: readonly Choice[];
  valuesOf(type: string): readonly string[];
  onChange(filter: TraitFilter): void;
}

type Noun = 'trait' | 'detail';

const emptyRow: TraitRow = { type: '', test: 'is', value: '' };

/** Groups of tests on traits, as rows. */
function FilterRows({ filter, noun, typeChoices, valuesOf, onChange }: FilterParts) {
  const { groups, needsAll } = filter;
  const hasCounts = noun === 'trait';
  const put = (index: number, group: TraitGroup | undefined) =>
    onChange({ ...filter, groups: group === undefined ? groups.toSpliced(index, 1) : groups.with(index, group) });
  const addGroup = () =>
    onChange({ ...filter, groups: [...groups, { count: '', most: '', needsAll: true, rows: [emptyRow] }] });
  return (
    <div className={styles.traits}>
      {groups.length > 1 && (
        <Select
          aria-label={t('filter.needed')}
          data={[
            { value: 'or', label: t('filter.anyGroup') },
            { value: 'and', label: t('filter.allGroups') },
          ]}
          value={needsAll ? 'and' : 'or'}
          allowDeselect={false}
          onChange={(value) => onChange({ ...filter, needsAll: value === 'and' })}
        />
      )}
      {groups.map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups have no names of their own, and are edited in place.
        <fieldset key={index} className={styles.traitGroup}>
          <legend>{groups.length > 1 ? t('filter.group', { position: index + 1 }) : t('filter.rows', { noun })}</legend>
          <div className={styles.inputs}>
            {hasCounts && (
              <NumberInput
                label={t('filter.count')}
                placeholder="1"
                min={1}
                allowDecimal={false}
                value={group.count}
                onChange={(count) => put(index, { ...group, count: String(count) })}
              />
            )}
            {group.rows.length > 1 && (
              <Select
                label={t('filter.subject', { noun })}
                data={[
                  { value: 'and', label: t('filter.allRows', { noun }) },
                  { value: 'or', label: t('filter.anyRow', { noun }) },
                ]}
                value={group.needsAll ? 'and' : 'or'}
                allowDeselect={false}
                onChange={(value) => put(index, { ...group, needsAll: value === 'and' })}
              />
            )}
          </div>
          {group.rows.map((row, at) => (
            <FilterRow
              // biome-ignore lint/suspicious/noArrayIndexKey: rows have no names of their own, and are edited in place.
              key={at}
              row={row}
              place={{ noun, position: at + 1 }}
              typeChoices={typeChoices}
              values={valuesOf(row.type)}
              onChange={(next) => put(index, { ...group, rows: group.rows.with(at, next) })}
              onRemove={() => {
                const rows = group.rows.toSpliced(at, 1);
                put(index, rows.length === 0 ? undefined : { ...group, rows });
              }}
            />
          ))}
          <div>
            <Button
              size="compact-sm"
              variant="subtle"
              leftSection={<IconPlus size={14} />}
              onClick={() => put(index, { ...group, rows: [...group.rows, emptyRow] })}
            >
              {t('filter.add', { noun })}
            </Button>
          </div>
        </fieldset>
      ))}
      {(groups.length === 0 || hasCounts) && (
        <div>
          <Button size="compact-sm" variant="subtle" leftSection={<IconPlus size={14} />} onClick={addGroup}>
            {t(groups.length === 0 ? 'filter.add' : 'filter.addGroup', { noun })}
          </Button>
        </div>
      )}
    </div>
  );
}

interface RowParts {
  row: TraitRow;
  place: { noun: Noun; position: number };
  typeChoices: readonly Choice[];
  values: readonly string[];
  onChange(row: TraitRow): void;
  onRemove(): void;
}

function FilterRow({ row, place, typeChoices, values, onChange, onRemove }: RowParts) {
  const named = typeChoices.find(({ value }) => value === row.type)?.label;
  const typeOf = (typed: string) => typeChoices.find((choice) => choice.label === typed)?.value ?? typed;
  return (
    <div className={styles.trait}>
      <Autocomplete
        aria-label={t('filter.row', place)}
        placeholder={t('filter.rowPlaceholder')}
        data={typeChoices.map((choice) => choice.label)}
        value={named ?? row.type}
        onChange={(typed) => onChange({ ...row, type: typeOf(typed) })}
      />
      <Select
        aria-label={t('filter.comparison', place)}
        data={(row.test === 'query' ? tests : tests.slice(0, -1)).map((test) => ({
          value: test,
          label: t(`filter.${test}`),
        }))}
        value={row.test}
        allowDeselect={false}
        onChange={(test) => onChange({ ...row, test: tests.find((one) => one === test) ?? 'is' })}
      />
      {values.length > 0 ? (
        <Autocomplete
          aria-label={t('filter.value', place)}
          placeholder={t('filter.valuePlaceholder')}
          data={[...values]}
          value={row.value}
          onChange={(value) => onChange({ ...row, value })}
        />
      ) : (
        <TextInput
          aria-label={t('filter.value', place)}
          placeholder={t('filter.valuePlaceholder')}
          value={row.value}
          maxLength={400}
          onChange={({ currentTarget }) => onChange({ ...row, value: currentTarget.value })}
        />
      )}
      <ActionIcon variant="subtle" color="gray" aria-label={t('filter.remove', place)} onClick={onRemove}>
        <IconX size={16} />
      </ActionIcon>
    </div>
  );
}

const query = '$ownsTraits($, $_filter)';

/** Traits that NFTs must have, picked from those that the collection has. */
export function TraitsField({ fields, onChange }: { fields: Fields; onChange(fields: Fields): void }) {
  const filter = readTraitFilter(readField(fields, '_filter'));
  const [address, network] = [textOf(fields.contractAddress), textOf(fields.chainId) || '1'];
  const known = useOperation(
    'GET /ethereum-nfts/{address}/attributes',
    { address, network },
    { enabled: /^0x[0-9a-fA-F]{40}$/.test(address) && filter !== undefined && filter.groups.length > 0 },
  );
  if (filter === undefined) return null;
  const types = [...new Set((known.data ?? []).flatMap(({ type }) => type ?? []))];
  return (
    <>
      <FilterRows
        filter={filter}
        noun="trait"
        typeChoices={types.map((type) => ({ value: type, label: type }))}
        valuesOf={(type) => [...new Set(known.data?.find((one) => one.type === type)?.values ?? [])]}
        onChange={(next) => onChange(withTraits(fields, next))}
      />
      <Failure error={known.error} onRetry={() => void known.refetch()} />
    </>
  );
}

function withTraits(fields: Fields, filter: TraitFilter): Fields {
  const written = writeTraitFilter(filter);
  if (written === undefined) {
    const { query: _, requiresMetadata: __, version: ___, ...kept } = writeField(fields, '_filter', undefined);
    return kept;
  }
  const { minToken: _, maxToken: __, ...kept } = fields;
  return { ...writeField(kept, '_filter', written), query, requiresMetadata: true, version: '2.1.0' };
}

/** What X says of an account. */
const accountTraits = [
  'followers_count',
  'following_count',
  'tweet_count',
  'listed_count',
  'verified',
  'verified_type',
  'protected',
  'username',
  'name',
  'location',
  'created_at',
] as const;
const accountValues: Readonly<Record<string, readonly string[]>> = {
  verified: ['true', 'false'],
  protected: ['true', 'false'],
  verified_type: ['blue', 'business', 'government', 'none'],
};

/** What must be true of a linked X account. */
export function AccountFilterField({ fields, onChange }: { fields: Fields; onChange(fields: Fields): void }) {
  const filter = readTraitFilter(readField(fields, '_filter'));
  if (filter === undefined) return null;
  return (
    <>
      <Text size="sm" c="dimmed">
        {t('filter.linkAccount')}
      </Text>
      <FilterRows
        filter={filter}
        noun="detail"
        typeChoices={accountTraits.map((value) => ({ value, label: t(`account.${value}`) }))}
        valuesOf={(type) => accountValues[type] ?? []}
        onChange={(next) => onChange(writeField(fields, '_filter', writeTraitFilter(next)))}
      />
    </>
  );
}
