import type { EmulatorReply } from '../http-emulator/index.ts';
import { creditRest } from './billing.ts';
import { invalid, missing } from './replies.ts';
import type { StripeState } from './state.ts';
import { showSubscription } from './views.ts';

export function answerSubscription(
  state: StripeState,
  { method, query }: { method: string; query: URLSearchParams },
  id: string,
  form: URLSearchParams,
): EmulatorReply {
  const found = state.subscriptions.get(id);
  if (found === undefined) return missing('subscription', id);
  if (method === 'GET') return { body: showSubscription(found) };
  if (found.status === 'canceled') {
    if (method === 'DELETE') return missing('subscription', id);
    return invalid('A canceled subscription can only update its metadata.');
  }
  if (method === 'DELETE') {
    if ((form.get('prorate') ?? query.get('prorate')) === 'true') creditRest(state, found);
    Object.assign(found, { status: 'canceled', endedAt: state.now() });
    state.note('customer.subscription.deleted', showSubscription(found));
    return { body: showSubscription(found) };
  }
  const cancelAt = form.get('cancel_at');
  const atPeriodEnd = form.get('cancel_at_period_end');
  if (cancelAt !== null && atPeriodEnd !== null)
    return invalid('You may only specify one of these parameters: cancel_at, cancel_at_period_end.');
  if (cancelAt !== null && cancelAt !== '' && Number(cancelAt) <= state.now())
    return invalid('The timestamp must be in the future.', 'cancel_at');
  if (cancelAt !== null) {
    found.cancelAt = cancelAt === '' ? null : Number(cancelAt);
    found.cancelsAtPeriodEnd = false;
  }
  if (atPeriodEnd !== null) {
    found.cancelsAtPeriodEnd = atPeriodEnd === 'true';
    found.cancelAt = found.cancelsAtPeriodEnd ? found.periodEnd : null;
  }
  state.note('customer.subscription.updated', showSubscription(found));
  return { body: showSubscription(found) };
}
