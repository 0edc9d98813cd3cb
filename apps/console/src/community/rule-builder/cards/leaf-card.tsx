import { ActionIcon, Autocomplete, Button, Checkbox, NumberInput, Select, Text, TextInput } from '@mantine/core';
import { useOperation } from '../../../shared/api/index.ts';
import { IconPlus, IconX } from '../../../shared/icons.tsx';
import { isObject } from '../../../shared/is-object.ts';
import { Failure } from '../../../shared/ui/index.ts';
import { useBuilding } from '../builder-context.ts';
import { fieldWords, jsonFields, readField, textOf, writeField } from '../fields.ts';
import { type FieldName, type FieldWords, type Kind, kindOf, kinds, withKind } from '../kinds.ts';
import { setFields } from '../tree/edit.ts';
import type { Fields, Leaf } from '../tree/node.ts';
import { Card } from './card.tsx';
import styles from './cards.module.css';
import { ChainField } from './chain-field.tsx';
import { JsonField } from './json-field.tsx';
import { TokenField } from './token-field.tsx';

const kindChoices = [...Map.groupBy(kinds, ({ group }) => group)].map(([group, items]) => ({
  group,
  items: items.map(({ name, title }) => ({ value: name, label: title })),
}));

const daySeconds = 24 * 60 * 60;

/** One condition. Its inputs follow from its kind; what has none is shown as JSON, and nothing is dropped. */
export function LeafCard({ leaf }: { leaf: Leaf }) {
  const { editTree } = useBuilding();
  const { key, fields } = leaf;
  const kind = kindOf(fields);
  const put = (next: Fields, typing?: string) =>
    editTree((tree) => setFields(tree, key, next), typing === undefined ? {} : { typing: `${key}/${typing}` });
  const set = (name: string, value: unknown) => put(writeField(fields, name, value), name);
  const choose = (name: string | null) => {
    const next = kinds.find((one) => one.name === name);
    if (next !== undefined && next !== kind) put(withKind(fields, next));
  };
  return (
    <Card
      node={leaf}
      head={
        <Select
          aria-label="What this condition asks for"
          data={kindChoices}
          value={kind?.name ?? null}
          placeholder="Written as JSON"
          searchable
          allowDeselect={false}
          maxDropdownHeight={320}
          onChange={choose}
        />
      }
    >
      {kind === undefined ? (
        <JsonField label="Condition" value={fields} onChange={(value) => put(isObject(value) ? value : {}, 'json')} />
      ) : (
        <Inputs kind={kind} fields={fields} set={set} put={put} />
      )}
      <MoreOptions kind={kind} fields={fields} set={set} />
    </Card>
  );
}

const visibilityChoices = [
  { value: 'public', label: 'Yes' },
  { value: 'secret', label: 'Only that there is one' },
  { value: 'hidden', label: 'No' },
];

interface Parts {
  kind: Kind;
  fields: Fields;
  set(name: string, value: unknown): void;
  put(fields: Fields): void;
}

function Inputs({ kind, fields, set, put }: Parts) {
  const hasTraits = kind.hasTraits === true && readField(fields, '_filter') !== undefined;
  const shown = kind.fields.filter((name) => !(hasTraits && (name === 'minToken' || name === 'maxToken')));
  const others = otherFields(kind, fields);
  return (
    <>
      {kind.hasToken && <TokenField fields={fields} onChange={put} />}
      <div className={styles.inputs}>
        {shown.map((name) => (
          <Field
            key={name}
            name={name}
            words={kind.words?.[name] ?? fieldWords[name]}
            value={readField(fields, name)}
            set={set}
          />
        ))}
      </div>
      {kind.hasTraits && <TraitsField fields={fields} onChange={put} />}
      {others.length > 0 && (
        <JsonField
          label={`Also in this condition: ${others.join(', ')}`}
          value={Object.fromEntries(others.map((name) => [name, fields[name]]))}
          onChange={(value) => {
            const kept = Object.fromEntries(Object.entries(fields).filter(([name]) => !others.includes(name)));
            put({ ...kept, ...(isObject(value) && value) });
          }}
        />
      )}
    </>
  );
}

/** Addresses and names are longer than amounts. */
const wideFields: readonly FieldName[] = [
  'contractAddress',
  'collectionName',
  'tokenId',
  'eventId',
  '_to',
  '_functionName',
];

function Field({
  name,
  words: { label, placeholder, hint },
  value,
  set,
}: {
  name: FieldName;
  words: FieldWords;
  value: unknown;
  set: Parts['set'];
}) {
  if (name === 'chainId')
    return <ChainField className={styles.wide} value={value} onChange={(chainId) => set(name, chainId)} />;
  if (jsonFields.includes(name))
    return <JsonField label={label} hint={hint} value={value} onChange={(next) => set(name, next)} />;
  return (
    <TextInput
      className={wideFields.includes(name) ? styles.wide : undefined}
      label={label}
      description={hint}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder={placeholder}
      value={textOf(value)}
      maxLength={4000}
      onChange={({ currentTarget }) => set(name, currentTarget.value === '' ? undefined : currentTarget.value)}
    />
  );
}

/** How holdings are looked at, and how much members see of the condition. */
function MoreOptions({ kind, fields, set }: Pick<Parts, 'fields' | 'set'> & { kind: Kind | undefined }) {
  const { hasConditionVisibility } = useBuilding();
  const hasReading = kind?.hasReading === true;
  if (!hasReading && !hasConditionVisibility) return null;
  const seconds = Number(readField(fields, '_heldForSeconds') ?? 0);
  const shown = textOf(fields.visibility) || 'public';
  return (
    <details className={styles.more}>
      <summary>More options{shown === 'public' ? '' : `: ${shown} for members`}</summary>
      <div className={styles.inputs}>
        {hasReading && (
          <>
            <NumberInput
              label="Held for, in days"
              placeholder="No matter how long"
              min={0}
              value={seconds > 0 ? seconds / daySeconds : ''}
              onChange={(days) =>
                set('_heldForSeconds', Number(days) > 0 ? Math.round(Number(days) * daySeconds) : undefined)
              }
            />
            <Checkbox
              label="Add up all linked wallets"
              checked={readField(fields, '_sumWallets') === true}
              onChange={({ currentTarget }) => set('_sumWallets', currentTarget.checked || undefined)}
            />
            <Checkbox
              label="Count wallets that delegated to a linked one (delegate.xyz)"
              checked={readField(fields, '_delegation') === true}
              onChange={({ currentTarget }) => set('_delegation', currentTarget.checked || undefined)}
            />
          </>
        )}
        {hasConditionVisibility && (
          <Select
            label="Members see this condition"
            data={visibilityChoices}
            value={shown}
            allowDeselect={false}
            onChange={(value) => set('visibility', value === 'public' || value === null ? undefined : value)}
          />
        )}
      </div>
    </details>
  );
}

const covered = ['type', 'scheme', 'version', 'visibility', 'chainId', 'contractAddress', 'requiresMetadata'];

/** Fields that no input shows: an asset in one text, a query, variables of its own. */
function otherFields(kind: Kind, fields: Fields): string[] {
  const isShown = (name: string) => covered.includes(name) || kind.fields.some((field) => field === name);
  return Object.keys(fields).filter((name) => {
    if (name === 'variables') return hasOtherVariables(kind, fields);
    if (name === 'query') return kind.hasTraits !== true || fields.query !== '$ownsTraits($, $_filter)';
    return !isShown(name);
  });
}

const readingVariables = ['_sumWallets', '_heldForSeconds', '_delegation'];

function hasOtherVariables(kind: Kind, { variables }: Fields): boolean {
  if (typeof variables !== 'object' || variables === null) return true;
  return Object.keys(variables).some(
    (name) =>
      !(kind.hasReading && readingVariables.includes(name)) &&
      !(kind.hasTraits && name === '_filter') &&
      !kind.fields.some((field) => field === name),
  );
}

interface Trait {
  trait_type: string;
  value: string;
}

const query = '$ownsTraits($, $_filter)';

/** Traits that one NFT must have, picked from those that the collection has. */
function TraitsField({ fields, onChange }: { fields: Fields; onChange(fields: Fields): void }) {
  const filter = readField(fields, '_filter');
  const traits = traitsIn(filter);
  const [address, chainId] = [textOf(fields.contractAddress), textOf(fields.chainId) || '1'];
  const isReadable = /^0x[0-9a-fA-F]{40}$/.test(address);
  const known = useOperation(
    'GET /ethereum-nfts/{address}/attributes',
    { address, network: chainId },
    { enabled: isReadable && traits !== undefined && traits.length > 0 },
  );
  if (traits === undefined)
    return (
      <JsonField
        label="Traits"
        hint="These traits are combined in a way that only JSON shows."
        value={filter}
        onChange={(value) => onChange(writeField(fields, '_filter', value))}
      />
    );
  const put = (next: readonly Trait[]) => onChange(withTraits(fields, next));
  const types = (known.data ?? []).flatMap(({ type }) => type ?? []);
  return (
    <div className={styles.traits}>
      {traits.length > 0 && (
        <Text size="sm" fw={500}>
          One NFT must have all of these traits
        </Text>
      )}
      {traits.map((trait, index) => {
        const set = (change: Partial<Trait>) => put(traits.with(index, { ...trait, ...change }));
        const values = known.data?.find(({ type }) => type === trait.trait_type)?.values ?? [];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: traits have no names of their own, and are edited in place.
          <div key={index} className={styles.trait}>
            <Autocomplete
              aria-label={`Trait ${index + 1}`}
              placeholder="Trait"
              data={[...new Set(types)]}
              value={trait.trait_type}
              onChange={(trait_type) => set({ trait_type })}
            />
            <Autocomplete
              aria-label={`Value of trait ${index + 1}`}
              placeholder="Value"
              data={[...new Set(values)]}
              value={trait.value}
              onChange={(value) => set({ value })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove trait ${index + 1}`}
              onClick={() => put(traits.toSpliced(index, 1))}
            >
              <IconX size={16} />
            </ActionIcon>
          </div>
        );
      })}
      <Failure error={known.error} onRetry={() => void known.refetch()} />
      <div>
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconPlus size={14} />}
          onClick={() => put([...traits, { trait_type: '', value: '' }])}
        >
          Add trait
        </Button>
      </div>
    </div>
  );
}

/** The traits of a filter with one list that all count; undefined for one that is more than that. */
function traitsIn(filter: unknown): Trait[] | undefined {
  if (filter === undefined) return [];
  if (!isObject(filter) || !Array.isArray(filter.filters) || filter.filters.length !== 1) return undefined;
  const [only]: unknown[] = filter.filters;
  if (!isObject(only) || !Array.isArray(only.traits) || (only.condition ?? 'and') !== 'and') return undefined;
  if (Object.keys(filter).some((name) => name !== 'filters' && name !== 'condition')) return undefined;
  if (Object.keys(only).some((name) => name !== 'traits' && name !== 'condition')) return undefined;
  const list: readonly unknown[] = only.traits;
  const traits = list.filter((one): one is Trait => {
    return isObject(one) && typeof one.trait_type === 'string' && typeof one.value === 'string';
  });
  return traits.length === list.length ? traits : undefined;
}

function withTraits(fields: Fields, traits: readonly Trait[]): Fields {
  if (traits.length === 0) {
    const { query: _, requiresMetadata: __, version: ___, ...kept } = writeField(fields, '_filter', undefined);
    return kept;
  }
  const filter = { condition: 'or', filters: [{ condition: 'and', traits }] };
  const { minToken: _, maxToken: __, ...kept } = fields;
  return { ...writeField(kept, '_filter', filter), query, requiresMetadata: true, version: '2.1.0' };
}
