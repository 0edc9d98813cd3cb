import { Alert, Select, Text, TextInput } from '@mantine/core';
import { useBuilding } from '../builder-context.ts';
import { fromLink, readField, textOf, tokenWords, wordsOf, writeField } from '../fields.ts';
import { type FieldName, type Kind, kindOf, kinds, withKind } from '../kinds.ts';
import { t } from '../messages/index.ts';
import { readTraitFilter } from '../trait-filter.ts';
import { setFields } from '../tree/edit.ts';
import { expand } from '../tree/expand.ts';
import type { Fields, Leaf } from '../tree/node.ts';
import { Card } from './card.tsx';
import styles from './cards.module.css';
import { ChainField } from './chain-field.tsx';
import { ContractField, isSearched, PlainContractField } from './contract-field.tsx';
import { AccountFilterField, TraitsField } from './filter-field.tsx';
import { FunctionField } from './function-field.tsx';
import { MoreOptions, readingVariables } from './more-options.tsx';
import { GuestPassField, OwnersField, RoleCompositionField } from './people-fields.tsx';
import { SolanaNftField, XrplField } from './place-fields.tsx';

function kindChoices() {
  return [...Map.groupBy(kinds, ({ group }) => group)].map(([group, items]) => ({
    group: t(`kindGroup.${group}`),
    items: items.map(({ name }) => ({ value: name, label: t(`kind.${name}`) })),
  }));
}

/** One condition. Its inputs follow from its kind; what has none is named, and nothing is dropped. */
export function LeafCard({ leaf }: { leaf: Leaf }) {
  const { editTree } = useBuilding();
  const { key } = leaf;
  const kind = kindOf(leaf.fields);
  const fields = kind === undefined ? leaf.fields : expand(leaf.fields, kind);
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
          aria-label={t('condition.kind')}
          data={kindChoices()}
          value={kind?.name ?? null}
          placeholder={t('condition.kindPlaceholder')}
          searchable
          allowDeselect={false}
          maxDropdownHeight={320}
          onChange={choose}
        />
      }
    >
      {kind === undefined ? (
        <Alert color="gray">{t('condition.noCard')}</Alert>
      ) : (
        <Inputs kind={kind} fields={fields} set={set} put={put} />
      )}
      <MoreOptions kind={kind} fields={fields} set={set} />
    </Card>
  );
}

interface Parts {
  kind: Kind;
  fields: Fields;
  set(name: string, value: unknown): void;
  put(fields: Fields, typing?: string): void;
}

function Inputs({ kind, fields, set, put }: Parts) {
  const others = otherFields(kind, fields);
  return (
    <>
      {kind.hasToken && <ContractField kind={kind} words={tokenWords()} fields={fields} onChange={put} />}
      <div className={styles.inputs}>
        {shownFields(kind, fields).map((name) => (
          <Field key={name} name={name} kind={kind} fields={fields} set={set} put={put} />
        ))}
      </div>
      {kind.hasTraits && <TraitsField fields={fields} onChange={put} />}
      {others.length > 0 && (
        <Text size="sm" c="dimmed">
          {t('condition.otherFields', { fields: t.list(others) })}
        </Text>
      )}
    </>
  );
}

/** Amounts are left out where something else says how many. */
function shownFields(kind: Kind, fields: Fields): FieldName[] {
  const hasTraits = kind.hasTraits === true && readField(fields, '_filter') !== undefined;
  const isStream = kind.name === 'ERC777' && textOf(readField(fields, '_to')) !== '';
  return kind.fields.filter((name) => !((hasTraits || isStream) && (name === 'minToken' || name === 'maxToken')));
}

/** Addresses and names are longer than amounts. */
const wideFields: readonly FieldName[] = ['contractAddress', 'collectionName', 'tokenId', 'eventId', '_to'];
const amounts: readonly FieldName[] = ['minToken', 'maxToken', '_minMonthlyRate'];

function Field({ name, kind, fields, set, put }: Parts & { name: FieldName }) {
  const words = wordsOf(name, kind);
  const value = readField(fields, name);
  const change = (next: Fields) => put(next, name);
  switch (name) {
    case 'chainId':
      return <ChainField className={styles.wide} value={value} onChange={(chainId) => set(name, chainId)} />;
    case '_owners':
      return <OwnersField fields={fields} onChange={change} />;
    case '_functionName':
      return <FunctionField fields={fields} onChange={change} />;
    case '_filter':
      if (kind.name === 'GUESTPASS') return <GuestPassField fields={fields} onChange={change} />;
      return (
        <div className={styles.wide}>
          <AccountFilterField fields={fields} onChange={change} />
        </div>
      );
    case 'roleComposition':
      return (
        <div className={styles.wide}>
          <RoleCompositionField fields={fields} onChange={change} />
        </div>
      );
    case 'contractAddress':
      if (kind.name === 'SOLANA_NFT') return <SolanaNftField fields={fields} onChange={change} />;
      if (kind.name.startsWith('XRPL'))
        return <XrplField fields={fields} isToken={kind.name === 'XRPL_FT'} onChange={change} />;
      if (isSearched(kind))
        return (
          <div className={`${styles.wide} ${styles.search}`}>
            <ContractField kind={kind} words={words} fields={fields} onChange={change} />
          </div>
        );
      break;
  }
  const { label, placeholder, hint } = words;
  const unit = amounts.includes(name) ? kind.unit : undefined;
  const input = (
    <TextInput
      className={wideFields.includes(name) ? styles.wide : undefined}
      label={label}
      description={hint}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      placeholder={placeholder}
      inputMode={amounts.includes(name) ? 'decimal' : 'text'}
      {...(unit !== undefined && {
        rightSection: <span className={styles.unit}>{t(unit)}</span>,
        rightSectionWidth: 64,
      })}
      value={textOf(value)}
      maxLength={4000}
      onChange={({ currentTarget }) =>
        set(name, currentTarget.value === '' ? undefined : fromLink(name, currentTarget.value))
      }
    />
  );
  if (name !== 'contractAddress') return input;
  return (
    <div className={`${styles.wide} ${styles.search}`}>
      {input}
      <PlainContractField kind={kind} fields={fields} />
    </div>
  );
}

// The role of a condition inside of a tree does not matter.
const covered = ['type', 'scheme', 'version', 'visibility', 'chainId', 'contractAddress', 'requiresMetadata', 'roleId'];

/** Fields that no input shows: an asset in one text, a query, variables of its own. */
function otherFields(kind: Kind, fields: Fields): string[] {
  const isShown = (name: string) =>
    covered.includes(name) ||
    kind.fields.some((field) => field === name) ||
    (name === 'asset' && kind.start !== undefined) ||
    (name === 'functionName' && kind.name === 'CUSTOM_ABI') ||
    (name === 'tokenId' && kind.name === 'SOLANA_NFT');
  return Object.keys(fields).filter((name) => {
    if (name === 'variables') return hasOtherVariables(kind, fields);
    if (name === 'query') return kind.hasTraits !== true || fields.query !== '$ownsTraits($, $_filter)';
    return !isShown(name);
  });
}

function hasOtherVariables(kind: Kind, fields: Fields): boolean {
  const { variables } = fields;
  if (typeof variables !== 'object' || variables === null) return true;
  const callVariables = kind.name === 'CUSTOM_ABI' ? ['_args', '_decimals'] : [];
  return Object.entries(variables).some(([name, value]) => {
    if (name === '_filter' && (kind.hasTraits || kind.name === 'twitter')) return readTraitFilter(value) === undefined;
    if (kind.hasReading && readingVariables.includes(name)) return false;
    return !callVariables.includes(name) && !kind.fields.some((field) => field === name);
  });
}
