import { Checkbox, Stack, Text } from '@mantine/core';
import { useOperation } from '../../shared/api/index.ts';
import { Query, State } from '../../shared/ui/index.ts';
import styles from '../operator.module.css';

/** Every scope with what it allows, requested ones first. */
export function ScopePicker({
  label,
  asked,
  value,
  onChange,
  isFixed = false,
}: {
  label: string;
  asked: readonly string[];
  value: readonly string[];
  onChange(scopes: readonly string[]): void;
  isFixed?: boolean;
}) {
  const scopes = useOperation('GET /scopes', {});
  const toggle = (id: string) => onChange(value.includes(id) ? value.filter((one) => one !== id) : [...value, id]);
  return (
    <fieldset className={styles.fieldset}>
      <legend>{label}</legend>
      <Query read={scopes} what="scopes">
        {(groups) => {
          const all = groups.flatMap(({ scopes: inGroup = [] }) => inGroup);
          const sorted = all.toSorted((a, b) => Number(asked.includes(b.id)) - Number(asked.includes(a.id)));
          return (
            <Stack gap="xs" className={styles.scopes}>
              {sorted.map(({ id, description }) => (
                <Checkbox
                  key={id}
                  checked={value.includes(id)}
                  disabled={isFixed}
                  onChange={() => toggle(id)}
                  label={
                    <>
                      {id} {asked.includes(id) && <State tone="warn">Asked for</State>}
                    </>
                  }
                  description={description}
                />
              ))}
            </Stack>
          );
        }}
      </Query>
      {value.includes('$all') && (
        <Text size="sm" c="red">
          $all grants every scope, also those that are added later.
        </Text>
      )}
    </fieldset>
  );
}
