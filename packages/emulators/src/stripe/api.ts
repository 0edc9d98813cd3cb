import { createHash } from 'node:crypto';
import type { EmulatorReply, EmulatorRequest } from '../http-emulator/index.ts';
import { answerPrices, answerProducts } from './catalog.ts';
import { createSession, expireSession } from './checkout-api.ts';
import { answerConfigurations, createPortalSession } from './portal-api.ts';
import { listOf, missing, refuse } from './replies.ts';
import type { StripeCustomer, StripeState } from './state.ts';
import { answerSubscription } from './subscription-api.ts';
import { showCharge, showDispute, showInvoice, showInvoicePayment, showRefund, showSession } from './views.ts';

interface Api {
  state: StripeState;
  secretKey: string;
  pageUrl: () => string;
}

/** The part of Stripe's API that selling subscriptions and taking donations needs. */
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
