import type { EmulatorReply } from '../http-emulator/index.ts';
import { readMoney } from './catalog.ts';
import { fieldsUnder, invalid, missing } from './replies.ts';
import type { StripePrice, StripeSession, StripeState } from './state.ts';
import { showSession } from './views.ts';

interface Pages {
  state: StripeState;
  pageUrl: () => string;
}

/** Begins a checkout, at a price that is there or at one that the request says. */
export function createSession({ state, pageUrl }: Pages, form: URLSearchParams): EmulatorReply {
  const mode = form.get('mode');
  if (mode !== 'payment' && mode !== 'subscription') return invalid('Missing required param: mode.', 'mode');
  const price = readPrice(state, form);
  if (!('amount' in price)) return price;
  if ((mode === 'subscription') !== (price.interval !== null))
    return invalid('A recurring price is needed in subscription mode, and only there.', 'mode');
  const customer = form.get('customer');
  if (customer !== null && state.customers.get(customer)?.deleted !== false)
    return missing('customer', customer, 'customer');
  for (const name of ['success_url', 'cancel_url']) {
    if (!URL.canParse((form.get(name) ?? '').replace('{CHECKOUT_SESSION_ID}', 'x')))
      return invalid('Not a valid URL', name);
  }
  const now = state.now();
  const expiresAt = Number(form.get('expires_at') ?? now + 86_400);
  if (expiresAt < now + 1800 || expiresAt > now + 86_400)
    return invalid('The expires_at timestamp must be between 30 minutes and 24 hours from now.', 'expires_at');
  const session: StripeSession = {
    id: state.nextId('cs_test'),
    mode,
    status: 'open',
    price,
    customer,
    metadata: fieldsUnder(form, 'metadata'),
    subscriptionMetadata: fieldsUnder(form, 'subscription_data[metadata]'),
    clientReferenceId: form.get('client_reference_id'),
    successUrl: form.get('success_url') ?? '',
    cancelUrl: form.get('cancel_url') ?? '',
    message: form.get('custom_text[submit][message]'),
    title: form.get('line_items[0][price_data][product_data][name]') ?? state.products.get(price.product)?.name ?? '',
    created: now,
    expiresAt,
    isPaid: false,
    subscription: null,
    paymentIntent: null,
  };
  state.sessions.set(session.id, session);
  return { body: showSession(session, pageUrl()) };
}

function readPrice(state: StripeState, form: URLSearchParams): StripePrice | EmulatorReply {
  const id = form.get('line_items[0][price]');
  if (id !== null) return state.prices.get(id) ?? missing('price', id, 'line_items[0][price]');
  const money = readMoney(form, 'line_items[0][price_data]');
  if ('status' in money) return money;
  return { id: state.nextId('price'), product: state.nextId('prod'), ...money, lookupKey: null, metadata: {} };
}

export function expireSession({ state, pageUrl }: Pages, id: string): EmulatorReply {
  const session = state.sessions.get(id);
  if (session === undefined) return missing('checkout.session', id);
  if (session.status !== 'open')
    return invalid(`Only Checkout Sessions with a status in ["open"] can be expired. It is ${session.status}.`);
  session.status = 'expired';
  state.note('checkout.session.expired', showSession(session, pageUrl()));
  return { body: showSession(session, pageUrl()) };
}
