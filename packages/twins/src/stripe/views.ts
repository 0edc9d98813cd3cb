import type { StripeEvent, StripeInvoice, StripeRefund, StripeSession, StripeSubscription } from './state.ts';

/** The objects as the API shows them: the fields that its library and ours read. */
export function showSession(session: StripeSession, pageUrl: string) {
  const { paid } = session;
  return {
    id: session.id,
    object: 'checkout.session',
    amount_total: session.amount,
    cancel_url: session.cancelUrl,
    client_reference_id: session.clientReferenceId,
    created: session.created,
    currency: session.currency,
    customer: paid?.customer ?? null,
    expires_at: session.expiresAt,
    livemode: false,
    metadata: session.metadata,
    mode: session.mode,
    payment_intent: paid?.paymentIntent ?? null,
    payment_status: paid === undefined ? 'unpaid' : 'paid',
    status: paid === undefined ? 'open' : 'complete',
    subscription: paid?.subscription ?? null,
    success_url: session.successUrl,
    url: paid === undefined ? `${pageUrl}/pay/${session.id}` : null,
  };
}

export function showSubscription(subscription: StripeSubscription) {
  const { id, customer, metadata, status, startDate, periodEnd, cancelAt, endedAt } = subscription;
  return {
    id,
    object: 'subscription',
    cancel_at: cancelAt,
    cancel_at_period_end: cancelAt !== null && cancelAt === periodEnd,
    created: startDate,
    currency: subscription.currency,
    customer,
    ended_at: endedAt,
    items: {
      object: 'list',
      data: [{ id: `si_${id}`, object: 'subscription_item', current_period_end: periodEnd, quantity: 1 }],
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    livemode: false,
    metadata,
    start_date: startDate,
    status,
  };
}

export function showInvoice(invoice: StripeInvoice) {
  return {
    id: invoice.id,
    object: 'invoice',
    amount_due: invoice.amount,
    amount_paid: invoice.amountPaid,
    currency: invoice.currency,
    customer: invoice.customer,
    livemode: false,
    parent: {
      type: 'subscription_details',
      quote_details: null,
      subscription_details: { metadata: {}, subscription: invoice.subscription },
    },
    status: invoice.paidAt === null ? 'open' : 'paid',
    status_transitions: { paid_at: invoice.paidAt },
  };
}

export function showRefund({ id, charge, amount, currency, created }: StripeRefund) {
  return { id, object: 'refund', amount, charge, created, currency, metadata: {}, status: 'succeeded' };
}

export function showEvent({ id, type, created, object }: StripeEvent) {
  return { id, object: 'event', api_version: '2026-09-30.endive', created, data: { object }, livemode: false, type };
}
