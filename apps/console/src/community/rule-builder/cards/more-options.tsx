import { Checkbox, NumberInput, Select } from '@mantine/core';
import { useBuilding } from '../builder-context.ts';
import { readField, textOf } from '../fields.ts';
import type { Kind } from '../kinds.ts';
import { t } from '../messages/index.ts';
import type { Fields } from '../tree/node.ts';
import styles from './cards.module.css';

const daySeconds = 24 * 60 * 60;

const visibilities = ['public', 'secret', 'hidden'] as const;

/** The variables that these options set. */
export const readingVariables: readonly string[] = ['_sumWallets', '_heldForSeconds', '_delegation', '_atBlock'];

/** How holdings are looked at, and how much members see of the condition. */
export function MoreOptions({
  kind,
  fields,
  set,
}: {
  kind: Kind | undefined;
  fields: Fields;
  set(name: string, value: unknown): void;
}) {
  const { hasConditionVisibility } = useBuilding();
  const hasReading = kind?.hasReading === true;
  if (!hasReading && !hasConditionVisibility) return null;
  const seconds = Number(readField(fields, '_heldForSeconds') ?? 0);
  const shown = textOf(fields.visibility) || 'public';
  return (
    <details className={styles.more}>
      <summary>{t('reading.more', { visibility: shown })}</summary>
      <div className={styles.inputs}>
        {hasReading && (
          <>
            <NumberInput
              label={t('reading.heldFor')}
              placeholder={t('reading.heldForPlaceholder')}
              min={0}
              value={seconds > 0 ? seconds / daySeconds : ''}
              onChange={(days) =>
                set('_heldForSeconds', Number(days) > 0 ? Math.round(Number(days) * daySeconds) : undefined)
              }
            />
            <NumberInput
              label={t('reading.block')}
              placeholder={t('reading.blockPlaceholder')}
              min={0}
              allowDecimal={false}
              value={textOf(readField(fields, '_atBlock'))}
              onChange={(block) => set('_atBlock', block === '' ? undefined : Number(block))}
            />
            <Checkbox
              label={t('reading.sumWallets')}
              checked={readField(fields, '_sumWallets') === true}
              onChange={({ currentTarget }) => set('_sumWallets', currentTarget.checked || undefined)}
            />
            <Checkbox
              label={t('reading.delegation')}
              checked={readField(fields, '_delegation') === true}
              onChange={({ currentTarget }) => set('_delegation', currentTarget.checked || undefined)}
            />
          </>
        )}
        {hasConditionVisibility && (
          <Select
            label={t('reading.visibility')}
            data={visibilities.map((value) => ({ value, label: t(`reading.${value}`) }))}
            value={shown}
            allowDeselect={false}
            onChange={(value) => set('visibility', value === 'public' || value === null ? undefined : value)}
          />
        )}
      </div>
    </details>
  );
}
