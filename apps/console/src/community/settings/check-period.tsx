import { Button, Group, Select } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction } from '../../shared/api/index.ts';
import { Failure, Section, Time } from '../../shared/ui/index.ts';
import styles from './settings.module.css';

const list = 'GET /latchkey/communities/{id}/settings';
const hourSeconds = 60 * 60;

const periods = [
  [1, 'Every hour'],
  [6, 'Every 6 hours'],
  [12, 'Every 12 hours'],
  [24, 'Every day'],
  [72, 'Every 3 days'],
  [168, 'Every week'],
  [720, 'Every 30 days'],
] as const;

/** How often every member is re-checked. */
export function CheckPeriod({ communityId, settings }: { communityId: string; settings: Answer<typeof list> }) {
  const { checkPeriodSeconds, isDefaultCheckPeriod, defaultCheckPeriodSeconds, nextCheckTime } = settings;
  const [chosen, setChosen] = useState(String(checkPeriodSeconds));
  const changes = [list] as const;
  const save = useAction('PATCH /latchkey/communities/{id}/settings', { changes });
  const reset = useAction('DELETE /latchkey/communities/{id}/settings/check-period', { changes });
  const known = periods.map(([hours, label]) => ({ value: String(hours * hourSeconds), label }));
  const isKnown = known.some(({ value }) => value === String(checkPeriodSeconds));
  const own = {
    value: String(checkPeriodSeconds),
    label: `Every ${Math.round(checkPeriodSeconds / hourSeconds)} hours`,
  };
  return (
    <Section
      title="Re-checks"
      lead="Transfers, new wallets and changed rules are checked at once. This is how often everybody is checked as well."
    >
      <Group align="end" gap="xs">
        <Select
          label="Check every member"
          allowDeselect={false}
          data={isKnown ? known : [own, ...known]}
          value={chosen}
          onChange={(value) => setChosen(value ?? chosen)}
          className={styles.field}
        />
        <Button
          variant="default"
          loading={save.isRunning}
          disabled={chosen === String(checkPeriodSeconds)}
          onClick={() => save.run({ id: communityId, body: { checkPeriodSeconds: Number(chosen) } })}
        >
          Save period
        </Button>
        {!isDefaultCheckPeriod && (
          <Button
            variant="subtle"
            color="gray"
            loading={reset.isRunning}
            onClick={() => reset.run({ id: communityId })}
          >
            Use the default ({Math.round(defaultCheckPeriodSeconds / hourSeconds)} hours)
          </Button>
        )}
      </Group>
      {nextCheckTime !== undefined && (
        <p className={styles.note}>
          Next: <Time at={nextCheckTime} />
        </p>
      )}
      <Failure error={save.error ?? reset.error} />
    </Section>
  );
}
