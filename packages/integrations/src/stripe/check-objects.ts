import { type Fields, fieldsOf, flagOf, listOf, Malformed, nameOf, textOf } from '@latchkey/adapter-kit';

/**
 * Stripe's library passes on whatever Stripe sent. Fields that decide whether a customer has paid are checked before use; each
 * check throws `Malformed`, which counts as a missing response.
 */
export function checkSubscription(value: unknown): void {
  const found = fieldsOf(value, 'a subscription');
  nameOf(found.id, 'the id of a subscription');
  oneOf(found.status, subscriptionStates, 'the status of a subscription');
  reference(found.customer, 'the customer');
  checkMetadata(found.metadata);
  timeOf(found.start_date, 'the start');
  if (found.ended_at !== null) timeOf(found.ended_at, 'the end');
  if (found.cancel_at !== null) timeOf(found.cancel_at, 'the date of cancellation');
  if (found.latest_invoice !== null) reference(found.latest_invoice, 'the latest invoice');
  const items = listOf(fieldsOf(found.items, 'the items').data, 'the items');
  if (items.length === 0) throw new Malformed('a subscription has no items');
  for (const item of items) {
    const { price, current_period_end: end } = fieldsOf(item, 'an item');
    timeOf(end, 'the end of a period');
    checkPriceObject(fieldsOf(price, 'a price'));
  }
}

const subscriptionStates = [
  'active',
  'canceled',
  'incomplete',
  'incomplete_expired',
  'past_due',
  'paused',
  'trialing',
  'unpaid',
];

function checkPriceObject({ id, metadata, currency, unit_amount: amount, recurring }: Fields): void {
  nameOf(id, 'the id of a price');
  checkMetadata(metadata);
  nameOf(currency, 'the currency of a price');
  if (amount !== null) amountOf(amount, 'the amount of a price');
  if (recurring === null) return;
  const { interval, interval_count: count } = fieldsOf(recurring, 'the period of a price');
  oneOf(interval, ['day', 'week', 'month', 'year'], 'the interval of a price');
  amountOf(count, 'the number of intervals');
}

export function checkInvoice(value: unknown): void {
  const { amount_paid: amount, currency, parent, status, status_transitions: passed } = fieldsOf(value, 'an invoice');
  amountOf(amount, 'the amount of an invoice');
  nameOf(currency, 'the currency of an invoice');
  const { paid_at: at } = fieldsOf(passed, 'the dates of an invoice');
  if (at !== null) timeOf(at, 'when an invoice was paid');
  else if (status === 'paid') throw new Malformed('a paid invoice does not say when it was paid');
  if (parent === null) return;
  const { subscription_details: details } = fieldsOf(parent, 'what an invoice is about');
  if (details !== null) reference(fieldsOf(details, 'what an invoice is about').subscription, 'the subscription');
}

/** Returns the id of the invoice that a payment belongs to. */
export function checkInvoicePayment(value: unknown): string {
  return reference(fieldsOf(value, 'the payment of an invoice').invoice, 'the invoice of a payment');
}

export function checkCharge(value: unknown): void {
  const { refunded, payment_intent: intent } = fieldsOf(value, 'a charge');
  if (refunded === undefined) throw new Malformed('a charge does not say whether it was refunded');
  flagOf(refunded, 'whether a charge was refunded');
  if (intent !== null) reference(intent, 'the payment of a charge');
}

export function checkRefund(value: unknown): void {
  const refund = fieldsOf(value, 'a refund');
  const states = ['pending', 'requires_action', 'succeeded', 'failed', 'canceled'];
  // Only refunds from before Stripe had a status have none.
  oneOf(refund.status, states, 'the status of a refund');
  checkMovement(refund);
}

export function checkDispute(value: unknown): void {
  const dispute = fieldsOf(value, 'a dispute');
  nameOf(dispute.id, 'the id of a dispute');
  nameOf(dispute.currency, 'the currency of a dispute');
  amountOf(dispute.amount, 'the amount of a dispute');
  oneOf(dispute.status, disputeStates, 'the status of a dispute');
  for (const one of listOf(dispute.balance_transactions, 'the movements')) checkMovement(fieldsOf(one, 'a movement'));
}

const disputeStates = [
  'lost',
  'needs_response',
  'prevented',
  'under_review',
  'warning_closed',
  'warning_needs_response',
  'warning_under_review',
  'won',
];

export function checkCheckout(value: unknown): void {
  const session = fieldsOf(value, 'a checkout');
  oneOf(session.status, ['open', 'complete', 'expired'], 'the status of a checkout');
  oneOf(session.payment_status, ['paid', 'unpaid', 'no_payment_required'], 'the payment of a checkout');
  if (session.metadata !== null) checkMetadata(session.metadata);
  if (session.subscription !== null) reference(session.subscription, 'the subscription of a checkout');
  if (session.payment_intent !== null) reference(session.payment_intent, 'the payment of a checkout');
  if (session.amount_total !== null) amountOf(session.amount_total, 'the amount of a checkout');
  if (session.currency !== null) nameOf(session.currency, 'the currency of a checkout');
  timeOf(session.created, 'when a checkout began');
}

function checkMovement({ id, amount, currency, created }: Fields): void {
  nameOf(id, 'the id of a movement');
  amountOf(amount, 'the amount of a movement');
  nameOf(currency, 'the currency of a movement');
  timeOf(created, 'the time of a movement');
}

/** Metadata maps names to strings; ours are among them. */
function checkMetadata(value: unknown): void {
  for (const one of Object.values(fieldsOf(value, 'the metadata'))) textOf(one, 'a value of the metadata');
}

/** Returns the id of a reference, or of the whole object if Stripe was requested to expand it. */
function reference(value: unknown, what: string): string {
  return nameOf(typeof value === 'string' ? value : fieldsOf(value, what).id, what);
}

function oneOf(value: unknown, known: readonly string[], what: string): void {
  if (typeof value !== 'string' || !known.includes(value)) throw new Malformed(`${what} is not known`);
}

function amountOf(value: unknown, what: string): void {
  if (!Number.isSafeInteger(value)) throw new Malformed(`${what} is not a whole number`);
}

function timeOf(value: unknown, what: string): void {
  if (!Number.isSafeInteger(value) || Number(value) < 0) throw new Malformed(`${what} is not a time`);
}
