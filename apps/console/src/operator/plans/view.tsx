import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import { ConfirmDialog, EmptyState, Failure, Page, Row, State, Time } from '../../shared/ui/index.ts';
import { Answered } from '../answered.tsx';
import { Rows } from '../rows.tsx';
import { EditPlan } from './edit-plan.tsx';
import { sayPrice } from './money.ts';

type Plan = Answer<'GET /latchkey/plans'>[number];
const list = 'GET /latchkey/plans' as const;

/** The plans that are sold, and their prices. */
export function View() {
  const [edited, setEdited] = useState<Plan | 'new'>();
  const [given, setGiven] = useState<Plan>();
  const [deleted, setDeleted] = useState<Plan>();
  const plans = useOperation(list, {});
  const remove = useAction('DELETE /latchkey/plans/{planId}', {
    changes: [list],
    onDone: () => setDeleted(undefined),
  });
  return (
    <Page
      title="Plans and prices"
      lead="What communities and organizations can be on. Existing subscribers keep their price."
      actions={<Button onClick={() => setEdited('new')}>Create plan</Button>}
    >
      <Stack gap="md">
        <Answered read={plans} what="plans">
          {(all) =>
            all.length === 0 ? (
              <EmptyState title="No plan yet">Create one to sell it, or to give it to somebody.</EmptyState>
            ) : (
              <Rows items={all} keyOf={({ id }) => id}>
                {(plan) => (
                  <Row
                    title={plan.name}
                    states={
                      <>
                        <State>{plan.audience === 'community' ? 'Communities' : 'Organizations'}</State>
                        {plan.offeredUntil !== undefined && <State tone="warn">Sold for a time</State>}
                      </>
                    }
                    note={
                      <>
                        {plan.prices.length === 0 ? 'Not sold by card' : plan.prices.map(sayPrice).join(', ')}
                        {plan.offeredUntil !== undefined && (
                          <>
                            , sold until <Time at={plan.offeredUntil} />
                          </>
                        )}
                        {plan.description !== undefined && (
                          <>
                            <br />
                            {plan.description}
                          </>
                        )}
                      </>
                    }
                    actions={
                      <>
                        <Button variant="default" size="compact-sm" onClick={() => setEdited(plan)}>
                          Edit
                        </Button>
                        <Button variant="default" size="compact-sm" onClick={() => setGiven(plan)}>
                          Give or take
                        </Button>
                        <Button variant="subtle" color="red" size="compact-sm" onClick={() => setDeleted(plan)}>
                          Delete
                        </Button>
                      </>
                    }
                  />
                )}
              </Rows>
            )
          }
        </Answered>
      </Stack>
      {edited !== undefined && (
        <EditPlan plan={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
      {given !== undefined && <GivePlan id={given.id} name={given.name} onClose={() => setGiven(undefined)} />}
      <ConfirmDialog
        isOpen={deleted !== undefined}
        title={`Delete the plan ${deleted?.name ?? ''}?`}
        yes="Delete plan"
        isDangerous
        isRunning={remove.isRunning}
        error={remove.error}
        onYes={() => deleted && remove.run({ planId: deleted.id })}
        onNo={() => {
          setDeleted(undefined);
          remove.reset();
        }}
      >
        A plan that somebody has or had cannot be deleted. Set an end to its sale instead.
      </ConfirmDialog>
    </Page>
  );
}

/** Gives a plan to somebody without payment, or takes it away. */
function GivePlan({ id, name, onClose }: { id: string; name: string; onClose(): void }) {
  const [subscriberId, setSubscriberId] = useState('');
  const give = useAction('PUT /latchkey/plans/{planId}/subscribers/{subscriberId}', { onDone: onClose });
  const take = useAction('DELETE /latchkey/plans/{planId}/subscribers/{subscriberId}', { onDone: onClose });
  const input = { planId: id, subscriberId: subscriberId.trim() };
  const isReady = input.subscriberId !== '';
  return (
    <Modal opened onClose={onClose} title={`Give or take ${name}`} data-dialog-open>
      <Stack gap="md">
        <Text size="sm">Nobody is charged, and nothing is paid back.</Text>
        <TextInput
          label="Community or organization"
          description="Its id, for example DIS#COMM#123."
          required
          maxLength={128}
          value={subscriberId}
          onChange={(event) => setSubscriberId(event.currentTarget.value)}
        />
        <Failure error={give.error ?? take.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" disabled={!isReady} loading={take.isRunning} onClick={() => take.run(input)}>
            Take plan away
          </Button>
          <Button disabled={!isReady} loading={give.isRunning} onClick={() => give.run(input)}>
            Give plan
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
