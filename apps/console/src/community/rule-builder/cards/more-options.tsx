import { Checkbox, NumberInput, Select } from '@mantine/core';
import { useBuilding } from '../builder-context.ts';
import { readField, textOf } from '../fields.ts';
import type { Kind } from '../kinds.ts';
import type { Fields } from '../tree/node.ts';
import styles from './cards.module.css';

const daySeconds = 24 * 60 * 60;

const visibilityChoices = [
  { value: 'public', label: 'Yes' },
  { value: 'secret', label: 'Only that there is one' },
  { value: 'hidden', label: 'No' },
];

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
            <NumberInput
              label="As of block"
              placeholder="The newest"
              min={0}
              allowDecimal={false}
              value={textOf(readField(fields, '_atBlock'))}
              onChange={(block) => set('_atBlock', block === '' ? undefined : Number(block))}
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
