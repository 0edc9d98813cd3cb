import type { EmulatorReply } from '../http-emulator/index.ts';
import { fieldsUnder, invalid, listOf, missing } from './replies.ts';
import type { StripePortalSession, StripeState } from './state.ts';
import { showPortalConfiguration } from './views.ts';

export function answerConfigurations(state: StripeState, method: string, form: URLSearchParams): EmulatorReply {
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

export function createPortalSession(
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
