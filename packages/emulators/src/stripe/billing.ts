import type {
  StripeInterval,
  StripeInvoice,
  StripePrice,
  StripeSession,
  StripeState,
  StripeSubscription,
} from './state.ts';
import { showInvoice, showSubscription } from './views.ts';

const daySeconds = 24 * 60 * 60;
const lengthSeconds: Readonly<Record<StripeInterval, number>> = { month: 30 * daySeconds, year: 365 * daySeconds };

function periodSeconds({ interval }: StripePrice): number {
  return lengthSeconds[interval ?? 'month'];
}

export function startSubscription(state: StripeState, customer: string, session: StripeSession): StripeSubscription {
  const subscription: StripeSubscription = {
    id: state.nextId('sub'),
    customer,
    price: session.price,
    metadata: session.subscriptionMetadata,
    status: 'incomplete',
    startDate: state.now(),
    periodEnd: state.now(),
    cancelAt: null,
    cancelsAtPeriodEnd: false,
    endedAt: null,
    latestInvoice: null,
  };
  state.subscriptions.set(subscription.id, subscription);
  state.note('customer.subscription.created', showSubscription(subscription));
  return subscription;
}

/** Creates the invoice of the next period. */
export function bill(state: StripeState, subscription: StripeSubscription, isPaid: boolean): StripeInvoice {
  const invoice = invoiceFor(state, subscription, subscription.price.amount, isPaid);
  subscription.latestInvoice = invoice.id;
  subscription.status = isPaid ? 'active' : 'past_due';
  if (isPaid)
    subscription.periodEnd = Math.max(subscription.periodEnd, state.now()) + periodSeconds(subscription.price);
  state.note('customer.subscription.updated', showSubscription(subscription));
  return invoice;
}

/** Changes the price of a subscription: the rest of the old one is credited to the new one, which starts now. */
export function changePrice(state: StripeState, subscription: StripeSubscription, price: StripePrice): StripeInvoice {
  const isSameInterval = price.interval === subscription.price.interval;
  const left = restShare(state, subscription);
  const due = Math.round((isSameInterval ? left : 1) * price.amount) - Math.round(left * subscription.price.amount);
  subscription.price = price;
  if (!isSameInterval) subscription.periodEnd = state.now() + periodSeconds(price);
  const invoice = invoiceFor(state, subscription, Math.max(0, due), true);
  if (due < 0) credit(state, subscription.customer, -due);
  subscription.latestInvoice = invoice.id;
  state.note('customer.subscription.updated', showSubscription(subscription));
  return invoice;
}

/** Credits what was paid for the rest of the period to the customer's next invoice. */
export function creditRest(state: StripeState, subscription: StripeSubscription): void {
  credit(state, subscription.customer, Math.round(restShare(state, subscription) * subscription.price.amount));
}

function restShare(state: StripeState, { periodEnd, price }: StripeSubscription): number {
  return Math.min(1, Math.max(0, (periodEnd - state.now()) / periodSeconds(price)));
}

function credit(state: StripeState, customerId: string, amount: number): void {
  const customer = state.customers.get(customerId);
  // As at Stripe, a credit is a negative balance.
  if (customer !== undefined) customer.balance -= amount;
}

function invoiceFor(
  state: StripeState,
  { id, customer, price: { currency } }: StripeSubscription,
  amount: number,
  isPaid: boolean,
): StripeInvoice {
  const paid = isPaid ? { amountPaid: amount, paidAt: state.now() } : { amountPaid: 0, paidAt: null };
  const [invoiceId, charge, paymentIntent] = [state.nextId('in'), state.nextId('ch'), state.nextId('pi')];
  const invoice: StripeInvoice = {
    id: invoiceId,
    subscription: id,
    customer,
    amount,
    currency,
    charge,
    paymentIntent,
    ...paid,
  };
  state.invoices.set(invoice.id, invoice);
  state.note(isPaid ? 'invoice.paid' : 'invoice.payment_failed', showInvoice(invoice));
  return invoice;
}
