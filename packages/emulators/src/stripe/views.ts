import type {
  StripeDispute,
  StripeEvent,
  StripeInvoice,
  StripePortalConfiguration,
  StripePrice,
  StripeProduct,
  StripeRefund,
  StripeSession,
  StripeState,
  StripeSubscription,
} from './state.ts';

/** The objects as the API returns them: the fields that its library and ours read. */
export function showSession(session: StripeSession, pageUrl: string) {
  return {
    id: session.id,
    object: 'checkout.session',
    amount_total: session.price.amount,
    cancel_url: session.cancelUrl,
    client_reference_id: session.clientReferenceId,
    created: session.created,
    currency: session.price.currency,
    customer: session.customer,
    expires_at: session.expiresAt,
    livemode: false,
    metadata: session.metadata,
    mode: session.mode,
    payment_intent: session.paymentIntent,
    payment_status: session.isPaid ? 'paid' : 'unpaid',
    status: session.status,
    subscription: session.subscription,
    success_url: session.successUrl,
    url: session.status === 'open' ? `${pageUrl}/pay/${session.id}` : null,
  };
}

export function showSubscription(subscription: StripeSubscription) {
  const { id, customer, metadata, status, startDate, periodEnd, price } = subscription;
  const item = {
    id: `si_${id}`,
    object: 'subscription_item',
    current_period_end: periodEnd,
    price: showPrice(price),
    quantity: 1,
  };
  return {
    id,
    object: 'subscription',
    cancel_at: subscription.cancelAt,
    cancel_at_period_end: subscription.cancelsAtPeriodEnd,
    created: startDate,
    currency: price.currency,
    customer,
    ended_at: subscription.endedAt,
    items: {
      object: 'list',
      data: [item],
      has_more: false,
      url: `/v1/subscription_items?subscription=${id}`,
    },
    latest_invoice: subscription.latestInvoice,
    livemode: false,
    metadata,
    start_date: startDate,
    status,
  };
}

export function showProduct({ id, name, active, metadata }: StripeProduct) {
  return { id, object: 'product', active, livemode: false, metadata, name };
}

export function showPrice({ id, product, amount, currency, interval, lookupKey, metadata }: StripePrice) {
  return {
    id,
    object: 'price',
    active: true,
    currency,
    livemode: false,
    lookup_key: lookupKey,
    metadata,
    product,
    recurring: interval === null ? null : { interval, interval_count: 1, usage_type: 'licensed' },
    type: interval === null ? 'one_time' : 'recurring',
    unit_amount: amount,
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

export function showCharge(state: StripeState, invoice: StripeInvoice) {
  const refunded = state.refunds.filter(({ charge }) => charge === invoice.charge);
  const amountRefunded = refunded.reduce((sum, { amount }) => sum + amount, 0);
  return {
    id: invoice.charge,
    object: 'charge',
    amount: invoice.amountPaid,
    amount_refunded: amountRefunded,
    currency: invoice.currency,
    customer: invoice.customer,
    disputed: state.disputes.some(({ charge }) => charge === invoice.charge),
    livemode: false,
    paid: invoice.paidAt !== null,
    payment_intent: invoice.paymentIntent,
    refunded: invoice.amountPaid > 0 && amountRefunded === invoice.amountPaid,
  };
}

export function showInvoicePayment({ id, amountPaid, currency, paymentIntent }: StripeInvoice) {
  return {
    id: `inpay_${id}`,
    object: 'invoice_payment',
    amount_paid: amountPaid,
    currency,
    invoice: id,
    livemode: false,
    payment: { type: 'payment_intent', payment_intent: paymentIntent },
    status: 'paid',
  };
}

export function showRefund({ id, charge, amount, currency, created }: StripeRefund) {
  return { id, object: 'refund', amount, charge, created, currency, metadata: {}, status: 'succeeded' };
}

export function showDispute({ id, charge, amount, currency, status, movements }: StripeDispute) {
  return {
    id,
    object: 'dispute',
    amount,
    balance_transactions: movements.map((one) => ({ ...one, object: 'balance_transaction', type: 'adjustment' })),
    charge,
    currency,
    livemode: false,
    metadata: {},
    status,
  };
}

export function showPortalConfiguration({ id, metadata, prices }: StripePortalConfiguration) {
  const features = { subscription_update: { enabled: prices.length > 0 } };
  return { id, object: 'billing_portal.configuration', active: true, features, livemode: false, metadata };
}

export function showEvent({ id, type, created, object }: StripeEvent) {
  return { id, object: 'event', api_version: '2026-09-30.endive', created, data: { object }, livemode: false, type };
}
