import { createHmac } from 'node:crypto';
import { systemMs } from '../clock.ts';
import { escapeHtml, writePage } from '../http/html.ts';
import {
  type EmulatorAddress,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from '../http-emulator/index.ts';
import { answerApi } from './api.ts';
import { bill, changePrice, startSubscription } from './billing.ts';
import { type StripeDispute, type StripeEvent, type StripeInvoice, type StripePrice, StripeState } from './state.ts';
import { showCharge, showDispute, showEvent, showSession, showSubscription } from './views.ts';

export interface StripeEmulatorOptions extends EmulatorAddress {
  secretKey?: string;
  webhookSecret?: string;
  /** Where events are sent as soon as they happen; without it they stay in `state.events`. */
  webhookUrl?: () => string | undefined;
  /** Seconds since 1970. */
  now?: () => number;
  /** Ids are derived from it. */
  seed?: string;
}

export interface StripeEmulator extends HttpEmulator {
  state: StripeState;
  secretKey: string;
  webhookSecret: string;
  /** Pays on a checkout page as the customer. Returns the redirect URL. A delayed payment method is not paid yet. */
  pay(sessionId: string, options?: { isSlow?: boolean; email?: string }): string;
  /** Completes a delayed payment. */
  settle(sessionId: string): void;
  /** Confirms the change shown on a portal page as the customer. Returns the redirect URL. */
  confirm(portalSessionId: string): string;
  /** Ends a period: the next one is paid, or the payment fails. */
  renew(subscriptionId: string, options?: { fails?: boolean }): StripeInvoice;
  /** Ends a subscription whose scheduled end has come. */
  end(subscriptionId: string): void;
  refund(invoiceId: string, amount: number): void;
  /** The payer disputes a payment, or their bank decides. */
  dispute(invoiceId: string, status: StripeDispute['status']): void;
  /** Sends events to this URL from now on. */
  sendEventsTo(url: string): void;
  /** Returns an event as sent: the body and its signature. */
  sign(event: StripeEvent, options?: { secret?: string; at?: number }): { body: string; signature: string };
}

/** Starts Stripe: its API for checkouts and subscriptions, a page to pay on, and signed events. */
export async function startStripeEmulator(options: StripeEmulatorOptions = {}): Promise<StripeEmulator> {
  const { secretKey = 'sk_test_emulator', webhookSecret = 'whsec_emulator' } = options;
  const state = new StripeState(options.now ?? (() => Math.floor(systemMs() / 1000)), options.seed);
  let webhookUrl = options.webhookUrl;
  const pageUrl = (): string => emulator.url;

  const sign: StripeEmulator['sign'] = (event, { secret = webhookSecret, at = state.now() } = {}) => {
    const body = JSON.stringify(showEvent(event), undefined, 2);
    const digest = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex');
    return { body, signature: `t=${at},v1=${digest}` };
  };

  const pay: StripeEmulator['pay'] = (sessionId, { isSlow = false, email } = {}) => {
    const session = state.sessions.get(sessionId);
    if (session === undefined || session.status === 'expired' || session.expiresAt <= state.now())
      throw new Error('No open checkout with this id.');
    if (session.status === 'open') {
      session.customer ??= state.newCustomer().id;
      const customer = state.customers.get(session.customer);
      // A customer with a known email address is not asked for it.
      if (customer !== undefined) customer.email ??= email ?? null;
      session.status = 'complete';
      if (session.mode === 'payment') session.paymentIntent = state.nextId('pi');
      else session.subscription = startSubscription(state, session.customer, session).id;
      if (!isSlow) receive(state, sessionId);
      state.note('checkout.session.completed', showSession(session, pageUrl()));
    }
    return session.successUrl.replace('{CHECKOUT_SESSION_ID}', session.id);
  };

  const confirm: StripeEmulator['confirm'] = (id) => {
    const { change } = state.portalSessions.get(id) ?? {};
    const price = state.prices.get(change?.price ?? '');
    if (!change || price === undefined) throw new Error('This portal page has no change to confirm.');
    changePrice(state, subscriptionOf(state, change.subscription), price);
    return change.doneUrl;
  };

  const answer = (request: EmulatorRequest): EmulatorReply => {
    const [, page, id = ''] = /^\/(pay|portal)\/([^/]+)$/.exec(request.path) ?? [];
    if (page === undefined) return answerApi({ state, secretKey, pageUrl }, request);
    if (request.method !== 'POST') return page === 'portal' ? showPortalPage(state, id) : showPayPage(state, id);
    const form = new URLSearchParams(request.text);
    const happening = form.get('happens');
    if (page === 'portal' && happening !== null) {
      letHappen(id, happening);
      return leadTo(request.path);
    }
    const email = form.get('email');
    return leadTo(page === 'portal' ? confirm(id) : pay(id, email ? { email } : {}));
  };

  const money = takeBack(state);
  /** Triggers what would take too long while trying things out: a renewal, a failed payment, a dispute. */
  const letHappen = (portalSessionId: string, what: string): void => {
    const { customer } = state.portalSessions.get(portalSessionId) ?? {};
    const [verb, id = ''] = what.split(' ');
    const subscription = state.subscriptions.get(id);
    if (subscription === undefined || subscription.customer !== customer || subscription.status === 'canceled') return;
    if (verb === 'renews' || verb === 'fails') bill(state, subscription, verb === 'renews');
    const paid = [...state.invoices.values()].findLast((one) => one.subscription === id && one.amountPaid > 0);
    if (verb === 'disputed' && paid !== undefined) money.dispute(paid.id, 'needs_response');
    if (verb === 'won' && paid !== undefined) money.dispute(paid.id, 'won');
  };

  const emulator = await startHttpEmulator((request) => {
    const reply = answer(request);
    void deliver(state, sign, webhookUrl?.());
    return reply;
  }, options);

  return {
    ...emulator,
    state,
    secretKey,
    webhookSecret,
    pay,
    confirm,
    settle: (sessionId) => {
      const session = receive(state, sessionId);
      state.note('checkout.session.async_payment_succeeded', showSession(session, pageUrl()));
    },
    renew: (id, { fails = false } = {}) => bill(state, subscriptionOf(state, id), !fails),
    end: (id) => {
      const subscription = subscriptionOf(state, id);
      Object.assign(subscription, { status: 'canceled', endedAt: state.now() });
      state.note('customer.subscription.deleted', showSubscription(subscription));
    },
    ...money,
    sendEventsTo: (url) => {
      webhookUrl = () => url;
    },
    sign,
  };
}

function receive(state: StripeState, sessionId: string) {
  const session = state.sessions.get(sessionId);
  if (session?.status !== 'complete' || session.isPaid) throw new Error('This checkout has no pending payment.');
  session.isPaid = true;
  if (session.subscription !== null) bill(state, subscriptionOf(state, session.subscription), true);
  return session;
}

function leadTo(location: string): EmulatorReply {
  return { status: 303, headers: { location }, body: '' };
}

function subscriptionOf(state: StripeState, id: string) {
  const found = state.subscriptions.get(id);
  if (found === undefined) throw new Error(`There is no subscription ${id}.`);
  return found;
}

/** Sends events. An event that cannot be delivered is sent with the next one, as Stripe retries later. */
async function deliver(state: StripeState, sign: StripeEmulator['sign'], url: string | undefined): Promise<void> {
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

/** Handles refunds by the seller and disputes by the payer. */
function takeBack(state: StripeState) {
  const paid = (invoiceId: string): StripeInvoice => {
    const invoice = state.invoices.get(invoiceId);
    if (invoice === undefined || invoice.amountPaid === 0) throw new Error('Nothing was paid for this invoice.');
    return invoice;
  };
  return {
    refund: (invoiceId: string, amount: number): void => {
      const invoice = paid(invoiceId);
      if (amount > invoice.amountPaid) throw new Error('The amount exceeds what was paid.');
      const { charge, currency } = invoice;
      state.refunds.push({ id: state.nextId('re'), charge, amount, currency, created: state.now() });
      state.note('charge.refunded', showCharge(state, invoice));
    },
    dispute: (invoiceId: string, status: StripeDispute['status']): void => {
      const { charge, currency, amountPaid: amount } = paid(invoiceId);
      const known = state.disputes.find((dispute) => dispute.charge === charge);
      const dispute = known ?? { id: state.nextId('du'), charge, amount, currency, status, movements: [] };
      if (known === undefined) state.disputes.push(dispute);
      dispute.status = status;
      const taken = dispute.movements.reduce((sum, one) => sum + one.amount, 0);
      // The bank withdraws the money with the dispute, and returns it to a seller who wins.
      const due = status === 'needs_response' || status === 'lost' ? -amount : 0;
      if (due !== taken)
        dispute.movements.push({ id: state.nextId('txn'), amount: due - taken, currency, created: state.now() });
      const isClosed = status === 'won' || status === 'lost';
      const type = isClosed ? 'closed' : known === undefined ? 'created' : 'updated';
      state.note(`charge.dispute.${type}`, showDispute(dispute));
    },
  };
}

/** The page on which a checkout is paid. */
function showPayPage(state: StripeState, id: string): EmulatorReply {
  const session = state.sessions.get(id);
  if (session === undefined) return { ...html('No such checkout', ''), status: 404 };
  const note = session.message === null ? '' : `<p>${escapeHtml(session.message)}</p>`;
  return html(
    session.title,
    `<p>${priceInWords(session.price)}</p>${note}` +
      `<form method="post">${askMailbox(state, session.customer)}<button>Pay</button></form><a href="${escapeHtml(session.cancelUrl)}">Cancel</a>`,
  );
}

/** The page on which a customer sees their subscriptions, or confirms a change to one. */
function showPortalPage(state: StripeState, id: string): EmulatorReply {
  const session = state.portalSessions.get(id);
  if (session === undefined) return { ...html('No such page', ''), status: 404 };
  const own = [...state.subscriptions.values()].filter(({ customer }) => customer === session.customer);
  const rows = own.map(
    ({ id, price, status }) =>
      `<li>${escapeHtml(state.products.get(price.product)?.name ?? 'Donation')}: ${priceInWords(price)}, ${status}` +
      `${status === 'canceled' ? '' : happenings(id)}</li>`,
  );
  const wanted = session.change && state.prices.get(session.change.price);
  const change = wanted
    ? `<form method="post"><p>New price: ${priceInWords(wanted)}</p><button>Confirm</button></form>`
    : '';
  return html(
    'Your subscriptions',
    `<ul>${rows.join('')}</ul>${change}<a href="${escapeHtml(session.returnUrl)}">Back</a>`,
  );
}

function askMailbox(state: StripeState, customer: string | null): string {
  if (customer !== null && state.customers.get(customer)?.email) return '';
  return '<p><label>E-mail <input type="email" name="email" value="payer@example.org"></label></p>';
}

/** Only this emulator has these buttons: at Stripe they take a month or a bank. */
function happenings(id: string): string {
  const button = (verb: string, label: string) =>
    `<button name="happens" value="${verb} ${escapeHtml(id)}">${label}</button>`;
  return (
    '<form method="post"><p>Try what happens if</p>' +
    `${button('renews', 'the next period is paid')} ${button('fails', 'a payment fails')} ` +
    `${button('disputed', 'the last payment is disputed')} ${button('won', 'the dispute is withdrawn')}</form>`
  );
}

function priceInWords({ amount, currency, interval }: StripePrice): string {
  const sum = `${(amount / 100).toFixed(2)} ${currency.toUpperCase()}`;
  return interval === null ? sum : `${sum} every ${interval}`;
}

function html(title: string, content: string): EmulatorReply {
  return { headers: { 'content-type': 'text/html; charset=utf-8' }, body: writePage(title, content) };
}
