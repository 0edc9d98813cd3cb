import { createHmac } from 'node:crypto';
import { systemMs } from '../clock.ts';
import { escapeHtml, writePage } from '../http/html.ts';
import {
  type HttpTwin,
  startHttpTwin,
  type TwinAddress,
  type TwinReply,
  type TwinRequest,
} from '../http-twin/index.ts';
import { answerApi } from './api.ts';
import { type StripeEvent, type StripeInvoice, StripeState, type StripeSubscription } from './state.ts';
import { showEvent, showInvoice, showSession, showSubscription } from './views.ts';

const monthSeconds = 30 * 24 * 60 * 60;

export interface StripeTwinOptions extends TwinAddress {
  secretKey?: string;
  webhookSecret?: string;
  /** Where events are sent as soon as they happen; without it they wait in `state.events`. */
  webhookUrl?: () => string | undefined;
  /** Seconds since 1970. */
  now?: () => number;
}

export interface StripeTwin extends HttpTwin {
  state: StripeState;
  secretKey: string;
  webhookSecret: string;
  /** Somebody pays on the page of a checkout, and is sent to the address that is answered. */
  pay(sessionId: string): string;
  /** A month is over: the next one is paid, or the payment fails. */
  renew(subscriptionId: string, options?: { fails?: boolean }): StripeInvoice;
  /** A time that was set for the end has come. */
  end(subscriptionId: string): void;
  refund(invoiceId: string, amount: number): void;
  /** An event as it is sent: the body and its signature. */
  sign(event: StripeEvent, options?: { secret?: string; at?: number }): { body: string; signature: string };
}

/** A stand-in for Stripe: its API for checkouts and subscriptions, a page to pay on, and signed events. */
export async function startStripeTwin(options: StripeTwinOptions = {}): Promise<StripeTwin> {
  const { secretKey = 'sk_test_twin', webhookSecret = 'whsec_twin' } = options;
  const state = new StripeState(options.now ?? (() => Math.floor(systemMs() / 1000)));
  const pageUrl = (): string => twin.url;

  const sign: StripeTwin['sign'] = (event, { secret = webhookSecret, at = state.now() } = {}) => {
    const body = JSON.stringify(showEvent(event), undefined, 2);
    const digest = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
    return { body, signature: `t=${at},v1=${digest}` };
  };

  const pay: StripeTwin['pay'] = (sessionId) => {
    const session = state.sessions.get(sessionId);
    if (session === undefined || session.expiresAt <= state.now()) throw new Error('There is no such open checkout.');
    if (session.paid === undefined) {
      const customer = state.nextId('cus');
      if (session.mode === 'payment') {
        session.paid = { customer, subscription: null, paymentIntent: state.nextId('pi') };
      } else {
        const subscription = startSubscription(state, customer, session);
        session.paid = { customer, subscription: subscription.id, paymentIntent: null };
        bill(state, subscription, true);
      }
      state.note('checkout.session.completed', showSession(session, pageUrl()));
    }
    return session.successUrl.replace('{CHECKOUT_SESSION_ID}', session.id);
  };

  const answer = (request: TwinRequest): TwinReply => {
    const [, page, id = ''] = /^\/(pay|portal)\/([^/]+)$/.exec(request.path) ?? [];
    if (page === undefined) return answerApi({ state, secretKey, pageUrl }, request);
    if (page === 'portal') return html('Your subscriptions', '<p>Stripe shows them here.</p>');
    const session = state.sessions.get(id);
    if (session === undefined) return { ...html('No such checkout', ''), status: 404 };
    if (request.method === 'POST') return { status: 303, headers: { location: pay(id) }, body: '' };
    const note = session.message === null ? '' : `<p>${escapeHtml(session.message)}</p>`;
    const price = `${(session.amount / 100).toFixed(2)} ${session.currency.toUpperCase()}`;
    return html(
      session.title,
      `<p>${price}${session.mode === 'subscription' ? ' every month' : ''}</p>${note}` +
        `<form method="post"><button>Pay</button></form><a href="${escapeHtml(session.cancelUrl)}">Cancel</a>`,
    );
  };

  const twin = await startHttpTwin((request) => {
    const reply = answer(request);
    void deliver(state, sign, options.webhookUrl?.());
    return reply;
  }, options);

  return {
    ...twin,
    state,
    secretKey,
    webhookSecret,
    pay,
    renew: (id, { fails = false } = {}) => bill(state, subscriptionOf(state, id), !fails),
    end: (id) => {
      const subscription = subscriptionOf(state, id);
      Object.assign(subscription, { status: 'canceled', endedAt: state.now() });
      state.note('customer.subscription.deleted', showSubscription(subscription));
    },
    refund: (invoiceId, amount) => {
      const invoice = state.invoices.get(invoiceId);
      if (invoice === undefined || amount > invoice.amountPaid) throw new Error('So much was not paid.');
      const { charge, currency } = invoice;
      state.refunds.push({ id: state.nextId('re'), charge, amount, currency, created: state.now() });
      state.note('charge.refunded', { id: charge, object: 'charge', amount_refunded: amount });
    },
    sign,
  };
}

function startSubscription(
  state: StripeState,
  customer: string,
  session: { amount: number; currency: string; subscriptionMetadata: Record<string, string> },
): StripeSubscription {
  const subscription: StripeSubscription = {
    id: state.nextId('sub'),
    customer,
    amount: session.amount,
    currency: session.currency,
    metadata: session.subscriptionMetadata,
    status: 'active',
    startDate: state.now(),
    periodEnd: state.now(),
    cancelAt: null,
    endedAt: null,
  };
  state.subscriptions.set(subscription.id, subscription);
  state.note('customer.subscription.created', showSubscription(subscription));
  return subscription;
}

function bill(state: StripeState, subscription: StripeSubscription, isPaid: boolean): StripeInvoice {
  const { id, customer, amount, currency } = subscription;
  const paid = isPaid ? { amountPaid: amount, paidAt: state.now() } : { amountPaid: 0, paidAt: null };
  const invoice = {
    id: state.nextId('in'),
    subscription: id,
    customer,
    amount,
    currency,
    charge: state.nextId('ch'),
    ...paid,
  };
  state.invoices.set(invoice.id, invoice);
  subscription.status = isPaid ? 'active' : 'past_due';
  if (isPaid) subscription.periodEnd = Math.max(subscription.periodEnd, state.now()) + monthSeconds;
  state.note(isPaid ? 'invoice.paid' : 'invoice.payment_failed', showInvoice(invoice));
  state.note('customer.subscription.updated', showSubscription(subscription));
  return invoice;
}

function subscriptionOf(state: StripeState, id: string): StripeSubscription {
  const found = state.subscriptions.get(id);
  if (found === undefined) throw new Error(`There is no subscription ${id}.`);
  return found;
}

/** Sends what happened; what cannot be delivered is sent with the next event, as Stripe tries again later. */
async function deliver(state: StripeState, sign: StripeTwin['sign'], url: string | undefined): Promise<void> {
  if (url === undefined) return;
  for (const event of state.events.splice(0)) {
    const { body, signature } = sign(event);
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
    const isTaken = await fetch(url, { method: 'POST', headers, body }).then(
      (response) => response.ok,
      () => false,
    );
    if (!isTaken) state.events.push(event);
  }
}

function html(title: string, content: string): TwinReply {
  return { headers: { 'content-type': 'text/html; charset=utf-8' }, body: writePage(title, content) };
}
