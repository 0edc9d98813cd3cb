import { ActionIcon, Autocomplete, Button, Text } from '@mantine/core';
import { useOperation } from '../../../shared/api/index.ts';
import { IconPlus, IconX } from '../../../shared/icons.tsx';
import { Failure } from '../../../shared/ui/index.ts';
import { readField, textOf, writeField } from '../fields.ts';
import { isFields } from '../tree/draft.ts';
import type { Fields } from '../tree/node.ts';
import styles from './cards.module.css';
import { JsonField } from './json-field.tsx';

interface Trait {
  trait_type: string;
  value: string;
}

const query = '$ownsTraits($, $_filter)';

/** Traits that one NFT must have, picked from those that the collection has. */
export function TraitsField({ fields, onChange }: { fields: Fields; onChange(fields: Fields): void }) {
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
          leftSection={<IconPlus size={14} aria-hidden="true" />}
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
  if (!isFields(filter) || !Array.isArray(filter.filters) || filter.filters.length !== 1) return undefined;
  const [only]: unknown[] = filter.filters;
  if (!isFields(only) || !Array.isArray(only.traits) || (only.condition ?? 'and') !== 'and') return undefined;
  if (Object.keys(filter).some((name) => name !== 'filters' && name !== 'condition')) return undefined;
  if (Object.keys(only).some((name) => name !== 'traits' && name !== 'condition')) return undefined;
  const list: readonly unknown[] = only.traits;
  const traits = list.filter((one): one is Trait => {
    return isFields(one) && typeof one.trait_type === 'string' && typeof one.value === 'string';
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
