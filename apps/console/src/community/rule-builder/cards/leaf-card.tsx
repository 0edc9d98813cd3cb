import { Checkbox, NumberInput, Select, TextInput } from '@mantine/core';
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
import { TraitsField } from './traits-field.tsx';

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
        <JsonField
          label="Condition"
          value={fields}
          onChange={(value) => put(typeof value === 'object' && value !== null ? { ...value } : {}, 'json')}
        />
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
            put({ ...kept, ...(typeof value === 'object' && value !== null ? value : {}) });
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
