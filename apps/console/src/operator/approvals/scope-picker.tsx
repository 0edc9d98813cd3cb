import { Checkbox, Stack, Text } from '@mantine/core';
import { useOperation } from '../../shared/api/index.ts';
import { Query, State } from '../../shared/ui/index.ts';
import { t } from '../messages/index.ts';
import styles from '../operator.module.css';

/** Every scope with what it allows, requested ones first. */
export function ScopePicker({
  label,
  requested,
  value,
  onChange,
  isFixed = false,
}: {
  label: string;
  requested: readonly string[];
  value: readonly string[];
  onChange(scopes: readonly string[]): void;
  isFixed?: boolean;
}) {
  const scopes = useOperation('GET /scopes', {});
  const toggle = (id: string) => onChange(value.includes(id) ? value.filter((one) => one !== id) : [...value, id]);
  return (
    <fieldset className={styles.fieldset}>
      <legend>{label}</legend>
      <Query read={scopes} loading={t('scopes.loading')}>
        {(groups) => {
          const all = groups.flatMap(({ scopes: inGroup = [] }) => inGroup);
          const sorted = all.toSorted((a, b) => Number(requested.includes(b.id)) - Number(requested.includes(a.id)));
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
                      {id} {requested.includes(id) && <State tone="warn">{t('scopes.askedFor')}</State>}
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
          {t('scopes.all', { scope: '$all' })}
        </Text>
      )}
    </fieldset>
  );
}
