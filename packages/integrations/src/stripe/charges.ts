import { distinct, listOf } from '@latchkey/adapter-kit';
import type { Charge, Dispute, Payment } from '@latchkey/core/ports';
import type Stripe from 'stripe';
import { unlessMissing } from './asking.ts';
import { checkCharge, checkDispute, checkInvoice, checkInvoicePayment, checkRefund } from './check-objects.ts';
import { dateOf, idOf } from './values.ts';

const mostPerCharge = 1000;

/** A payment by card with everything that was taken back of it. */
export async function readCharge(stripe: Stripe, id: string): Promise<Charge | undefined> {
  const charge = await unlessMissing(stripe.charges.retrieve(id));
  if (charge === undefined) return undefined;
  checkCharge(charge);
  const [refunds, disputes, invoice] = await Promise.all([
    stripe.refunds.list({ charge: id, limit: 100 }).autoPagingToArray({ limit: mostPerCharge }),
    stripe.disputes.list({ charge: id, limit: 100 }).autoPagingToArray({ limit: mostPerCharge }),
    findInvoice(stripe, charge),
  ]);
  refunds.forEach(checkRefund);
  disputes.forEach(checkDispute);
  const subscriptionId = invoice?.subscriptionId;
  return {
    id,
    isRefunded: charge.refunded,
    invoiceId: invoice?.id,
    subscriptionId,
    refunds: distinct(refunds, ({ id: own }) => own)
      .filter(({ status }) => status === 'succeeded')
      .map((refund) => movement({ ...refund, amount: -refund.amount }, subscriptionId)),
    disputes: distinct(disputes, ({ id: own }) => own).map((dispute) => readDispute(dispute, subscriptionId)),
  };
}

export async function readInvoice(
  stripe: Stripe,
  id: string,
): Promise<{ id: string; subscriptionId?: string; payment?: Payment } | undefined> {
  const invoice = await unlessMissing(stripe.invoices.retrieve(id));
  if (invoice === undefined) return undefined;
  checkInvoice(invoice);
  const subscription = invoice.parent?.subscription_details?.subscription;
  const of = subscription === undefined ? {} : { subscriptionId: idOf(subscription) };
  const at = invoice.status_transitions.paid_at;
  const { amount_paid: amount, currency } = invoice;
  return { id, ...of, ...(at !== null && amount > 0 && { payment: { id, amount, currency, at: dateOf(at), ...of } }) };
}

async function findInvoice(stripe: Stripe, charge: Stripe.Charge) {
  if (charge.payment_intent === null) return undefined;
  const intent = idOf(charge.payment_intent);
  const { data } = await stripe.invoicePayments.list({
    payment: { type: 'payment_intent', payment_intent: intent },
    limit: 1,
  });
  const [payment] = listOf(data, 'the payments of an invoice').map(checkInvoicePayment);
  return payment === undefined ? undefined : readInvoice(stripe, payment);
}

function readDispute(dispute: Stripe.Dispute, subscriptionId: string | undefined): Dispute {
  const { id, amount, currency, status, balance_transactions } = dispute;
  return {
    id,
    amount,
    currency,
    status,
    outcome: outcomeOf(status),
    movements: distinct(balance_transactions, ({ id: own }) => own).map((transaction) =>
      movement(transaction, subscriptionId),
    ),
  };
}

// An inquiry (warning_…) takes no money yet.
function outcomeOf(status: Stripe.Dispute['status']): Dispute['outcome'] {
  if (status === 'lost') return 'lost';
  return status === 'needs_response' || status === 'under_review' ? 'open' : 'won';
}

function movement(
  { id, amount, currency, created }: { id: string; amount: number; currency: string; created: number },
  subscriptionId: string | undefined,
): Payment {
  return { id, amount, currency, at: dateOf(created), ...(subscriptionId && { subscriptionId }) };
}
