import { createHash } from 'node:crypto';
import type { TwinReply, TwinRequest } from '../http-twin/index.ts';
import type { StripeSession, StripeState } from './state.ts';
import { showInvoice, showRefund, showSession, showSubscription } from './views.ts';

interface Api {
  state: StripeState;
  secretKey: string;
  pageUrl: () => string;
}

const notFound = 404;

/** The part of Stripe's API that selling subscriptions and taking donations needs. */
export function answerApi(api: Api, request: TwinRequest): TwinReply {
  if (request.headers.authorization !== `Bearer ${api.secretKey}`)
    return refuse(401, 'invalid_request_error', 'Invalid API Key provided.');
  const key = request.headers['idempotency-key'];
  if (request.method !== 'POST' || key === undefined) return answer(api, request);
  const digest = createHash('sha256').update(`${request.path}\n${request.text}`).digest('hex');
  const before = api.state.answered.get(key);
  if (before !== undefined && before.digest !== digest)
    return refuse(400, 'idempotency_error', 'Keys for idempotent requests can only be used with the same parameters.');
  if (before !== undefined) return { body: before.body };
  const reply = answer(api, request);
  if ((reply.status ?? 200) < 400) api.state.answered.set(key, { digest, body: reply.body });
  return reply;
}

function answer(api: Api, request: TwinRequest): TwinReply {
  const { method, path } = request;
  const form = new URLSearchParams(request.text);
  const [, kind = '', id] =
    /^\/v1\/(checkout\/sessions|subscriptions|invoices|refunds|billing_portal\/sessions)(?:\/([^/]+))?$/.exec(path) ??
    [];
  switch (`${method} ${kind}${id === undefined ? '' : '/id'}`) {
    case 'POST checkout/sessions':
      return createSession(api, form);
    case 'GET checkout/sessions/id': {
      const found = api.state.sessions.get(id ?? '');
      return found ? { body: showSession(found, api.pageUrl()) } : missing('checkout.session', id);
    }
    case 'GET subscriptions/id':
    case 'POST subscriptions/id':
    case 'DELETE subscriptions/id':
      return changeSubscription(api.state, method, id ?? '', form);
    case 'GET invoices/id': {
      const found = api.state.invoices.get(id ?? '');
      return found ? { body: showInvoice(found) } : missing('invoice', id);
    }
    case 'GET refunds': {
      const charge = request.query.get('charge');
      const data = api.state.refunds.filter((refund) => charge === null || refund.charge === charge).map(showRefund);
      return { body: { object: 'list', data, has_more: false, url: '/v1/refunds' } };
    }
    case 'POST billing_portal/sessions':
      return openPortal(api, form);
    default:
      return refuse(notFound, 'invalid_request_error', `Unrecognized request URL (${method}: ${path}).`);
  }
}

function createSession(api: Api, form: URLSearchParams): TwinReply {
  const mode = form.get('mode');
  if (mode !== 'payment' && mode !== 'subscription')
    return refuse(400, 'invalid_request_error', 'Missing required param: mode.', 'mode');
  const amount = Number(form.get('line_items[0][price_data][unit_amount]'));
  const interval = form.get('line_items[0][price_data][recurring][interval]');
  if (!Number.isInteger(amount) || amount < 50)
    return refuse(
      400,
      'invalid_request_error',
      'The amount must be a whole number of at least 50.',
      'line_items[0][price_data][unit_amount]',
    );
  if ((mode === 'subscription') !== (interval !== null))
    return refuse(
      400,
      'invalid_request_error',
      'A recurring price is needed in subscription mode, and only there.',
      'mode',
    );
  for (const name of ['success_url', 'cancel_url']) {
    if (!URL.canParse((form.get(name) ?? '').replace('{CHECKOUT_SESSION_ID}', 'x')))
      return refuse(400, 'invalid_request_error', 'Not a valid URL', name);
  }
  const now = api.state.now();
  const expiresAt = Number(form.get('expires_at') ?? now + 86_400);
  if (expiresAt < now + 1800 || expiresAt > now + 86_400)
    return refuse(
      400,
      'invalid_request_error',
      'The expires_at timestamp must be between 30 minutes and 24 hours from now.',
      'expires_at',
    );
  const session: StripeSession = {
    id: api.state.nextId('cs_test'),
    mode,
    amount,
    currency: form.get('line_items[0][price_data][currency]') ?? 'usd',
    metadata: fieldsUnder(form, 'metadata'),
    subscriptionMetadata: fieldsUnder(form, 'subscription_data[metadata]'),
    clientReferenceId: form.get('client_reference_id'),
    successUrl: form.get('success_url') ?? '',
    cancelUrl: form.get('cancel_url') ?? '',
    message: form.get('custom_text[submit][message]'),
    title: form.get('line_items[0][price_data][product_data][name]') ?? '',
    created: now,
    expiresAt,
    paid: undefined,
  };
  api.state.sessions.set(session.id, session);
  return { body: showSession(session, api.pageUrl()) };
}

function changeSubscription(state: StripeState, method: string, id: string, form: URLSearchParams): TwinReply {
  const found = state.subscriptions.get(id);
  if (found === undefined) return missing('subscription', id);
  if (method === 'GET') return { body: showSubscription(found) };
  if (found.status === 'canceled')
    return refuse(400, 'invalid_request_error', 'A canceled subscription can only update its metadata.');
  if (method === 'DELETE') {
    Object.assign(found, { status: 'canceled', endedAt: state.now() });
    state.note('customer.subscription.deleted', showSubscription(found));
    return { body: showSubscription(found) };
  }
  const cancelAt = form.get('cancel_at');
  if (cancelAt !== null) {
    if (Number(cancelAt) <= state.now())
      return refuse(400, 'invalid_request_error', 'The timestamp must be in the future.', 'cancel_at');
    found.cancelAt = Number(cancelAt);
  }
  state.note('customer.subscription.updated', showSubscription(found));
  return { body: showSubscription(found) };
}

function openPortal(api: Api, form: URLSearchParams): TwinReply {
  const customer = form.get('customer');
  const isKnown = [...api.state.subscriptions.values()].some((subscription) => subscription.customer === customer);
  if (!isKnown) return missing('customer', customer ?? '');
  const id = api.state.nextId('bps');
  const url = `${api.pageUrl()}/portal/${id}`;
  return {
    body: { id, object: 'billing_portal.session', customer, livemode: false, return_url: form.get('return_url'), url },
  };
}

function fieldsUnder(form: URLSearchParams, name: string): Record<string, string> {
  const prefix = `${name}[`;
  return Object.fromEntries(
    [...form].flatMap(([field, value]) => (field.startsWith(prefix) ? [[field.slice(prefix.length, -1), value]] : [])),
  );
}

function missing(what: string, id: string | undefined): TwinReply {
  return refuse(notFound, 'invalid_request_error', `No such ${what}: '${id}'`, 'id', 'resource_missing');
}

function refuse(status: number, type: string, message: string, param?: string, code?: string): TwinReply {
  return { status, body: { error: { type, message, ...(param && { param }), ...(code && { code }) } } };
}
