import { Button, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Answer, useAction, useOperation } from '../../shared/api/index.ts';
import {
  ConfirmButton,
  Dialog,
  EmptyState,
  Form,
  Page,
  QueryList,
  Row,
  State,
  Time,
  useForm,
} from '../../shared/ui/index.ts';
import { formatMoney } from '../../shared/words.ts';
import { EditPlan } from './edit-plan.tsx';

type Plan = Answer<'GET /latchkey/plans'>[number];
const list = 'GET /latchkey/plans' as const;

/** The plans on sale, and their prices. */
export function View() {
  const [edited, setEdited] = useState<Plan | 'new'>();
  const [given, setGiven] = useState<Plan>();
  const plans = useOperation(list, {});
  const remove = useAction('DELETE /latchkey/plans/{planId}', { done: 'Plan deleted.', changes: [list] });
  return (
    <Page
      title="Plans and prices"
      lead="What communities and organizations can be on. Existing subscribers keep their price."
      actions={<Button onClick={() => setEdited('new')}>Create plan</Button>}
    >
      <QueryList
        read={plans}
        what="plans"
        keyOf={({ id }) => id}
        empty={<EmptyState title="No plan yet">Create one to sell it, or to grant it for free.</EmptyState>}
      >
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
                  Grant or revoke
                </Button>
                <ConfirmButton
                  label="Delete"
                  look={{ variant: 'subtle', color: 'red', size: 'compact-sm' }}
                  title={`Delete the plan ${plan.name}?`}
                  yes="Delete plan"
                  isDangerous
                  action={remove}
                  onYes={() => remove.runAsync({ planId: plan.id })}
                >
                  A plan with current or past subscribers cannot be deleted. Set an end to its sale instead.
                </ConfirmButton>
              </>
            }
          />
        )}
      </QueryList>
      {edited !== undefined && (
        <EditPlan plan={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
      {given !== undefined && <GivePlan id={given.id} name={given.name} onClose={() => setGiven(undefined)} />}
    </Page>
  );
}

function sayPrice({ billingPeriod, currency, amount }: Plan['prices'][number]): string {
  return `${formatMoney(amount, currency)} ${billingPeriod === 'monthly' ? 'a month' : 'a year'}`;
}

/** Grants a plan without payment, or revokes it. */
function GivePlan({ id, name, onClose }: { id: string; name: string; onClose(): void }) {
  const give = useAction('PUT /latchkey/plans/{planId}/subscribers/{subscriberId}', {
    done: 'Plan granted.',
    onDone: onClose,
  });
  const take = useAction('DELETE /latchkey/plans/{planId}/subscribers/{subscriberId}', {
    done: 'Plan revoked.',
    onDone: onClose,
  });
  const form = useForm({ subscriberId: '' }, give.error ?? take.error);
  const input = { planId: id, subscriberId: form.values.subscriberId.trim() };
  const isReady = input.subscriberId !== '';
  return (
    <Dialog title={`Grant or revoke ${name}`} onClose={onClose}>
      <Form
        submit="Give plan"
        canSubmit={isReady}
        action={{ ...give, error: give.error ?? take.error }}
        onSubmit={() => give.run(input)}
        buttons={
          <Button variant="default" disabled={!isReady} loading={take.isRunning} onClick={() => take.run(input)}>
            Revoke plan
          </Button>
        }
      >
        <Text size="sm">No one is charged or refunded.</Text>
        <TextInput
          label="Community or organization"
          description="Its id, for example DIS#COMM#123."
          required
          maxLength={128}
          {...form.text('subscriberId')}
        />
      </Form>
    </Dialog>
  );
}
