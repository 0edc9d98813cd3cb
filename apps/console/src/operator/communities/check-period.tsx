import { Button, Group, Modal, NumberInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useAction, useOperation } from '../../shared/api/index.ts';
import { Failure, Time } from '../../shared/ui/index.ts';
import { Answered } from '../answered.tsx';

const hourSeconds = 60 * 60;
const read = 'GET /latchkey/communities/{id}/settings' as const;

/** How often the members of a community are re-checked. */
export function CheckPeriod({ id, name, onClose }: { id: string; name: string; onClose(): void }) {
  const settings = useOperation(read, { id });
  const changes = [read, 'GET /latchkey/operator/communities'] as const;
  const [hours, setHours] = useState<number | string>('');
  const set = useAction('PATCH /latchkey/communities/{id}/settings', { changes, onDone: onClose });
  const reset = useAction('DELETE /latchkey/communities/{id}/settings/check-period', { changes, onDone: onClose });
  return (
    <Modal opened onClose={onClose} title={`Re-checks of ${name}`} data-dialog-open>
      <Answered read={settings} what="settings">
        {({ checkPeriodSeconds, isDefaultCheckPeriod, checksInBackground, nextCheckTime }) => (
          <Stack gap="md">
            <Text size="sm">
              Every member is re-checked every {checkPeriodSeconds / hourSeconds} hours
              {isDefaultCheckPeriod && ', the default of its plan'}.{' '}
              {!checksInBackground && 'Scheduled re-checks are off: the community is paused, or does not want them.'}
              {checksInBackground && nextCheckTime !== undefined && (
                <>
                  Next: <Time at={nextCheckTime} />
                </>
              )}
            </Text>
            <NumberInput
              label="Hours between re-checks"
              min={1}
              allowDecimal={false}
              allowNegative={false}
              value={hours}
              onChange={setHours}
            />
            <Failure error={set.error ?? reset.error} />
            <Group justify="flex-end" gap="xs">
              {!isDefaultCheckPeriod && (
                <Button variant="default" loading={reset.isRunning} onClick={() => reset.run({ id })}>
                  Use the default
                </Button>
              )}
              <Button
                loading={set.isRunning}
                disabled={typeof hours !== 'number'}
                onClick={() => set.run({ id, body: { checkPeriodSeconds: Number(hours) * hourSeconds } })}
              >
                Save
              </Button>
            </Group>
          </Stack>
        )}
      </Answered>
    </Modal>
  );
}
