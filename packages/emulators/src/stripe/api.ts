import { createHash } from 'node:crypto';
import type { EmulatorReply, EmulatorRequest } from '../http-emulator/index.ts';
import { creditRest } from './billing.ts';
import type {
  StripeCustomer,
  StripeInterval,
  StripePortalSession,
  StripePrice,
  StripeSession,
  StripeState,
} from './state.ts';
import {
  showCharge,
  showDispute,
  showInvoice,
  showInvoicePayment,
  showPortalConfiguration,
  showPrice,
  showProduct,
  showRefund,
  showSession,
  showSubscription,
} from './views.ts';

interface Api {
  state: StripeState;
  secretKey: string;
  pageUrl: () => string;
}

/** Handles the part of Stripe's API that subscriptions and donations need. */
export function answerApi(api: Api, request: EmulatorRequest): EmulatorReply {
  if (request.headers.authorization !== `Bearer ${api.secretKey}`) return refuse(401, 'Invalid API Key provided.');
  const key = request.headers['idempotency-key'];
  if (request.method !== 'POST' || key === undefined) return answer(api, request);
  const digest = createHash('sha256').update(`${request.path}\n${request.text}`).digest('hex');
  const before = api.state.answered.get(key);
  if (before !== undefined && before.digest !== digest) {
    const message = 'Keys for idempotent requests can only be used with the same parameters.';
    return refuse(400, message, undefined, undefined, 'idempotency_error');
  }
  if (before !== undefined) return { body: before.body };
  const reply = answer(api, request);
  if ((reply.status ?? 200) < 400) api.state.answered.set(key, { digest, body: reply.body });
  return reply;
}

const kinds =
  'checkout/sessions|customers|products|prices|subscriptions|invoices|invoice_payments|charges|refunds|disputes|billing_portal/sessions|billing_portal/configurations';
const route = new RegExp(`^/v1/(${kinds})(?:/([^/]+))?(/expire)?$`);

function answer(api: Api, request: EmulatorRequest): EmulatorReply {
  const { state } = api;
  const { method, path, query } = request;
  const form = new URLSearchParams(request.text);
  const [, kind = '', id, verb = ''] = route.exec(path) ?? [];
  switch (`${method} ${kind}${id === undefined ? '' : '/id'}${verb}`) {
    case 'POST customers':
      return { body: showCustomer(state.newCustomer()) };
    case 'GET customers/id': {
      const found = state.customers.get(id ?? '');
      return found ? { body: showCustomer(found) } : missing('customer', id);
    }
    case 'DELETE customers/id':
      return deleteCustomer(state, id ?? '');
    case 'POST products':
    case 'GET products/id':
    case 'POST products/id':
      return answerProducts(state, method, id, form);
    case 'POST prices':
    case 'GET prices':
    case 'GET prices/id':
      return answerPrices(state, request, id, form);
    case 'POST checkout/sessions':
      return createSession(api, form);
    case 'POST checkout/sessions/id/expire':
      return expireSession(api, id ?? '');
    case 'GET checkout/sessions/id': {
      const found = state.sessions.get(id ?? '');
      return found ? { body: showSession(found, api.pageUrl()) } : missing('checkout.session', id);
    }
    case 'GET subscriptions/id':
    case 'POST subscriptions/id':
    case 'DELETE subscriptions/id':
      return answerSubscription(state, request, id ?? '', form);
    case 'GET invoices/id': {
      const found = state.invoices.get(id ?? '');
      return found ? { body: showInvoice(found) } : missing('invoice', id);
    }
    case 'GET invoice_payments': {
      const intent = query.get('payment[payment_intent]');
      const found = [...state.invoices.values()].filter(({ paymentIntent }) => paymentIntent === intent);
      return listOf(found.map(showInvoicePayment), '/v1/invoice_payments');
    }
    case 'GET charges/id': {
      const found = [...state.invoices.values()].find(({ charge }) => charge === id);
      return found ? { body: showCharge(state, found) } : missing('charge', id);
    }
    case 'GET refunds':
      return listOf(ofCharge(state.refunds, query).map(showRefund), '/v1/refunds');
    case 'GET disputes':
      return listOf(ofCharge(state.disputes, query).map(showDispute), '/v1/disputes');
    case 'GET billing_portal/configurations':
    case 'POST billing_portal/configurations':
      return answerConfigurations(state, method, form);
    case 'POST billing_portal/sessions':
      return createPortalSession(api, form);
    default:
      return refuse(404, `Unrecognized request URL (${method}: ${path}).`);
  }
}

function showCustomer({ id, deleted, created, balance, email }: StripeCustomer): object {
  if (deleted) return { id, object: 'customer', deleted };
  return { id, object: 'customer', balance, created, email, livemode: false, metadata: {} };
}

function deleteCustomer(state: StripeState, id: string): EmulatorReply {
  const customer = state.customers.get(id);
  if (customer?.deleted !== false) return missing('customer', id);
  customer.deleted = true;
  return { body: showCustomer(customer) };
}

function ofCharge<Item extends { charge: string }>(items: readonly Item[], query: URLSearchParams): Item[] {
  const charge = query.get('charge');
  return items.filter((item) => charge === null || item.charge === charge);
}

function answerSubscription(
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

interface Pages {
  state: StripeState;
  pageUrl: () => string;
}

/** Starts a checkout with an existing price, or one defined in the request. */
function createSession({ state, pageUrl }: Pages, form: URLSearchParams): EmulatorReply {
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

function expireSession({ state, pageUrl }: Pages, id: string): EmulatorReply {
  const session = state.sessions.get(id);
  if (session === undefined) return missing('checkout.session', id);
  if (session.status !== 'open')
    return invalid(`Only Checkout Sessions with a status in ["open"] can be expired. It is ${session.status}.`);
  session.status = 'expired';
  state.note('checkout.session.expired', showSession(session, pageUrl()));
  return { body: showSession(session, pageUrl()) };
}

function answerConfigurations(state: StripeState, method: string, form: URLSearchParams): EmulatorReply {
  if (method === 'GET')
    return listOf(state.portalConfigurations.map(showPortalConfiguration), '/v1/billing_portal/configurations');
  const updates = 'features[subscription_update]';
  const isOpen = form.get(`${updates}[enabled]`) === 'true';
  const prices = [...form].flatMap(([name, value]) => (/\[prices\]\[\d+\]$/.test(name) ? [value] : []));
  if (isOpen && prices.length === 0)
    return invalid(`Missing required param: ${updates}[products].`, `${updates}[products]`);
  for (const price of prices) if (!state.prices.has(price)) return missing('price', price, `${updates}[products]`);
  const made = { id: state.nextId('bpc'), metadata: fieldsUnder(form, 'metadata'), prices: isOpen ? prices : [] };
  state.portalConfigurations.push(made);
  return { body: showPortalConfiguration(made) };
}

function createPortalSession(
  { state, pageUrl }: { state: StripeState; pageUrl: () => string },
  form: URLSearchParams,
): EmulatorReply {
  const customer = form.get('customer') ?? '';
  if (state.customers.get(customer)?.deleted !== false) return missing('customer', customer, 'customer');
  const change = readChange(state, customer, form);
  if (change !== null && 'body' in change) return change;
  const session: StripePortalSession = {
    id: state.nextId('bps'),
    customer,
    returnUrl: form.get('return_url') ?? '',
    change,
  };
  state.portalSessions.set(session.id, session);
  const url = `${pageUrl()}/portal/${session.id}`;
  return {
    body: {
      id: session.id,
      object: 'billing_portal.session',
      customer,
      livemode: false,
      return_url: session.returnUrl,
      url,
    },
  };
}

function readChange(
  state: StripeState,
  customer: string,
  form: URLSearchParams,
): StripePortalSession['change'] | EmulatorReply {
  const type = form.get('flow_data[type]');
  if (type === null) return null;
  if (type !== 'subscription_update_confirm') return invalid('The emulator knows no such flow.', 'flow_data[type]');
  const prefix = 'flow_data[subscription_update_confirm]';
  const subscription = state.subscriptions.get(form.get(`${prefix}[subscription]`) ?? '');
  if (subscription?.customer !== customer)
    return missing('subscription', form.get(`${prefix}[subscription]`), `${prefix}[subscription]`);
  if (subscription.status === 'canceled' || subscription.cancelAt !== null)
    return invalid('The subscription cannot be updated because it is canceled or set to cancel.', prefix);
  const price = state.prices.get(form.get(`${prefix}[items][0][price]`) ?? '');
  const configuration = state.portalConfigurations.find(({ id }) => id === form.get('configuration'));
  if (price === undefined || !configuration?.prices.includes(price.id))
    return invalid('The portal configuration does not offer this price.', `${prefix}[items][0][price]`);
  if (form.get(`${prefix}[items][0][id]`) !== `si_${subscription.id}`)
    return missing('subscription_item', form.get(`${prefix}[items][0][id]`), `${prefix}[items][0][id]`);
  if (price.currency !== subscription.price.currency)
    return invalid('The price is in another currency than the subscription.', `${prefix}[items][0][price]`);
  if (price.id === subscription.price.id)
    return invalid('The items of the subscription would not change.', `${prefix}[items]`);
  const doneUrl = form.get('flow_data[after_completion][redirect][return_url]') ?? '';
  return { subscription: subscription.id, price: price.id, doneUrl };
}

/** Products and prices. */
function answerProducts(state: StripeState, method: string, id: string | undefined, form: URLSearchParams) {
  if (id === undefined) return createProduct(state, form);
  const found = state.products.get(id);
  if (found === undefined) return missing('product', id);
  if (method === 'POST') {
    found.name = form.get('name') ?? found.name;
    found.active = (form.get('active') ?? String(found.active)) === 'true';
  }
  return { body: showProduct(found) };
}

function createProduct(state: StripeState, form: URLSearchParams): EmulatorReply {
  const id = form.get('id') ?? state.nextId('prod');
  const name = form.get('name');
  if (name === null) return invalid('Missing required param: name.', 'name', 'parameter_missing');
  if (state.products.has(id)) return invalid('Product already exists.', 'id', 'resource_already_exists');
  const product = { id, name, active: true, metadata: fieldsUnder(form, 'metadata') };
  state.products.set(id, product);
  return { body: showProduct(product) };
}

function answerPrices(
  state: StripeState,
  { method, query }: EmulatorRequest,
  id: string | undefined,
  form: URLSearchParams,
): EmulatorReply {
  if (id !== undefined) {
    const found = state.prices.get(id);
    return found ? { body: showPrice(found) } : missing('price', id, 'price');
  }
  if (method === 'POST') return createPrice(state, form);
  const keys = [...query].flatMap(([name, value]) => (name.startsWith('lookup_keys[') ? [value] : []));
  const found = [...state.prices.values()].filter(({ lookupKey }) => lookupKey !== null && keys.includes(lookupKey));
  return listOf(found.map(showPrice), '/v1/prices');
}

function createPrice(state: StripeState, form: URLSearchParams): EmulatorReply {
  const product = form.get('product') ?? '';
  if (!state.products.has(product)) return missing('product', product, 'product');
  const read = readMoney(form, '');
  if ('status' in read) return read;
  const lookupKey = form.get('lookup_key');
  const taken = [...state.prices.values()].find((price) => price.lookupKey === lookupKey && lookupKey !== null);
  if (taken !== undefined && form.get('transfer_lookup_key') !== 'true')
    return invalid('A price already uses that lookup key.', 'lookup_key');
  if (taken !== undefined) taken.lookupKey = null;
  const metadata = fieldsUnder(form, 'metadata');
  const price: StripePrice = { id: state.nextId('price'), product, ...read, lookupKey, metadata };
  state.prices.set(price.id, price);
  return { body: showPrice(price) };
}

type Money = Pick<StripePrice, 'amount' | 'currency' | 'interval'>;

/** Parses the money of a price or a checkout line: `unit_amount`, `currency` and `recurring[interval]`. */
function readMoney(form: URLSearchParams, prefix: string): Money | (EmulatorReply & { status: number }) {
  const field = (name: string) => (prefix === '' ? name : `${prefix}[${name}]`);
  const amount = Number(form.get(field('unit_amount')));
  const currency = form.get(field('currency')) ?? '';
  const interval = form.get(`${field('recurring')}[interval]`);
  if (!Number.isInteger(amount) || amount < 50)
    return { ...invalid('The amount must be a whole number of at least 50.', field('unit_amount')), status: 400 };
  if (!/^[a-z]{3}$/.test(currency))
    return { ...invalid(`Invalid currency: ${currency}`, field('currency')), status: 400 };
  if (interval !== null && !isInterval(interval))
    return { ...invalid(`Invalid interval: ${interval}`, `${field('recurring')}[interval]`), status: 400 };
  return { amount, currency, interval };
}

function isInterval(text: string): text is StripeInterval {
  return text === 'month' || text === 'year';
}

function missing(what: string, id: string | null | undefined, param = 'id'): EmulatorReply {
  return refuse(404, `No such ${what}: '${id}'`, param, 'resource_missing');
}

function invalid(message: string, param?: string, code?: string): EmulatorReply {
  return refuse(400, message, param, code);
}

function refuse(
  status: number,
  message: string,
  param?: string,
  code?: string,
  type = 'invalid_request_error',
): EmulatorReply {
  return { status, body: { error: { type, message, ...(param && { param }), ...(code && { code }) } } };
}

function listOf(data: readonly unknown[], url: string): EmulatorReply {
  return { body: { object: 'list', data, has_more: false, url } };
}

function fieldsUnder(form: URLSearchParams, name: string): Record<string, string> {
  const prefix = `${name}[`;
  return Object.fromEntries(
    [...form].flatMap(([field, value]) => (field.startsWith(prefix) ? [[field.slice(prefix.length, -1), value]] : [])),
  );
}
