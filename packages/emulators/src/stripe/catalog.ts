import type { EmulatorReply, EmulatorRequest } from '../http-emulator/index.ts';
import { fieldsUnder, invalid, listOf, missing } from './replies.ts';
import type { StripeInterval, StripePrice, StripeState } from './state.ts';
import { showPrice, showProduct } from './views.ts';

/** Products and prices. */
export function answerProducts(state: StripeState, method: string, id: string | undefined, form: URLSearchParams) {
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

export function answerPrices(
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

/** The money of a price, or of a line of a checkout: `unit_amount`, `currency` and `recurring[interval]`. */
export function readMoney(form: URLSearchParams, prefix: string): Money | (EmulatorReply & { status: number }) {
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
