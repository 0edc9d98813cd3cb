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
import { t } from '../messages/index.ts';
import { EditPlan } from './edit-plan.tsx';

type Plan = Answer<'GET /latchkey/plans'>[number];
const list = 'GET /latchkey/plans' as const;

/** The plans on sale, and their prices. */
export function View() {
  const [edited, setEdited] = useState<Plan | 'new'>();
  const [given, setGiven] = useState<Plan>();
  const plans = useOperation(list, {});
  const remove = useAction('DELETE /latchkey/plans/{planId}', { done: t('plans.deleted'), changes: [list] });
  return (
    <Page
      title={t('plans.title')}
      lead={t('plans.lead')}
      actions={<Button onClick={() => setEdited('new')}>{t('plans.create')}</Button>}
    >
      <QueryList
        read={plans}
        loading={t('plans.loading')}
        keyOf={({ id }) => id}
        empty={<EmptyState title={t('plans.emptyTitle')}>{t('plans.empty')}</EmptyState>}
      >
        {(plan) => (
          <Row
            title={plan.name}
            states={
              <>
                <State>{t(`plans.${plan.audience}`)}</State>
                {plan.offeredUntil !== undefined && <State tone="warn">{t('plans.limited')}</State>}
              </>
            }
            note={
              <>
                {plan.offeredUntil === undefined
                  ? sayPrices(plan)
                  : t.rich('plans.soldUntil', {
                      prices: sayPrices(plan),
                      time: <Time key="time" at={plan.offeredUntil} />,
                    })}
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
                  {t('plans.edit')}
                </Button>
                <Button variant="default" size="compact-sm" onClick={() => setGiven(plan)}>
                  {t('plans.give')}
                </Button>
                <ConfirmButton
                  label={t('plans.delete')}
                  look={{ variant: 'subtle', color: 'red', size: 'compact-sm' }}
                  title={t('plans.deleteTitle', { name: plan.name })}
                  yes={t('plans.deleteYes')}
                  isDangerous
                  action={remove}
                  onYes={() => remove.runAsync({ planId: plan.id })}
                >
                  {t('plans.deleteLead')}
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

function sayPrices({ prices }: Plan): string {
  if (prices.length === 0) return t('plans.notSold');
  return t.list(
    prices.map(({ billingPeriod, currency, amount }) =>
      t(`plans.${billingPeriod}`, { price: formatMoney(amount, currency) }),
    ),
  );
}

/** Grants a plan without payment, or revokes it. */
function GivePlan({ id, name, onClose }: { id: string; name: string; onClose(): void }) {
  const give = useAction('PUT /latchkey/plans/{planId}/subscribers/{subscriberId}', {
    done: t('givePlan.given'),
    onDone: onClose,
  });
  const take = useAction('DELETE /latchkey/plans/{planId}/subscribers/{subscriberId}', {
    done: t('givePlan.taken'),
    onDone: onClose,
  });
  const form = useForm({ subscriberId: '' }, give.error ?? take.error);
  const input = { planId: id, subscriberId: form.values.subscriberId.trim() };
  const isReady = input.subscriberId !== '';
  return (
    <Dialog title={t('givePlan.title', { name })} onClose={onClose}>
      <Form
        submit={t('givePlan.give')}
        canSubmit={isReady}
        action={{ ...give, error: give.error ?? take.error }}
        onSubmit={() => give.run(input)}
        buttons={
          <Button variant="default" disabled={!isReady} loading={take.isRunning} onClick={() => take.run(input)}>
            {t('givePlan.take')}
          </Button>
        }
      >
        <Text size="sm">{t('givePlan.lead')}</Text>
        <TextInput
          label={t('givePlan.subscriber')}
          description={t('givePlan.subscriberHint')}
          required
          maxLength={128}
          {...form.text('subscriberId')}
        />
      </Form>
    </Dialog>
  );
}
