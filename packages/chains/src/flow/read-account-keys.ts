import { baseOf, readJson, within } from '@latchkey/adapter-kit';
import { type AccountKey, curveOf, type FindAccountKeys, hashOf } from './account-keys.ts';

export interface FlowAccessOptions {
  /** The base URL of an access node's REST API for each chain, such as `https://rest-mainnet.onflow.org`. */
  urls: Readonly<Record<string, string>>;
  fetch: (url: string, init: { signal: AbortSignal; redirect: 'error' }) => Promise<Response>;
  timeoutMs?: number;
}

const defaultTimeoutMs = 5_000;

/** Reads account keys from the REST API of an access node, at the newest sealed block. */
export function createAccountKeyReader(options: FlowAccessOptions): FindAccountKeys {
  const { urls, timeoutMs = defaultTimeoutMs } = options;
  return async (address, chain, signal) => {
    const base = Object.hasOwn(urls, chain) ? urls[chain] : undefined;
    if (!base) throw new Error(`No access node is configured for the Flow chain "${chain}".`);
    const url = `${baseOf(base)}/v1/accounts/${address.replace(/^0x/, '')}?expand=keys`;
    const response = await options.fetch(url, { signal: within(timeoutMs, signal), redirect: 'error' });
    if (response.status === 404) return undefined;
    if (response.status !== 200) throw new Error(`The Flow access node responded with status ${response.status}.`);
    return parseKeys(await readJson(response), address);
  };
}

function parseKeys(body: unknown, address: string): AccountKey[] {
  const account = asRecord(body);
  if (typeof account.address !== 'string' || account.address.replace(/^0x/, '') !== address.replace(/^0x/, '')) {
    throw unreadable('it is about another account');
  }
  if (!Array.isArray(account.keys)) throw unreadable('it has no list of keys');
  const keys = account.keys.map(parseKey);
  if (new Set(keys.map((key) => key.index)).size !== keys.length) throw unreadable('it has two keys of one index');
  return keys;
}

function parseKey(value: unknown): AccountKey {
  const key = asRecord(value);
  const { public_key: publicKey, signing_algorithm: curveName, hashing_algorithm: hashName, revoked } = key;
  if (typeof publicKey !== 'string' || typeof curveName !== 'string' || typeof hashName !== 'string') {
    throw unreadable('a key lacks its bytes or its algorithms');
  }
  const digits = publicKey.replace(/^0x/, '');
  // Both curves that accounts sign with have points of 64 bytes: a key of another length would refuse every signature.
  if (!/^[0-9a-fA-F]{128}$/.test(digits) && curveOf(curveName)) throw unreadable('a key is not 64 bytes');
  if (typeof revoked !== 'boolean') throw unreadable('a key does not say whether it is revoked');
  return {
    index: parseNumber(key.index),
    publicKey: digits,
    curve: curveOf(curveName),
    hash: hashOf(hashName),
    weight: parseNumber(key.weight),
    revoked,
  };
}

/** The access API returns numbers as strings. */
function parseNumber(value: unknown): number {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0)
    throw unreadable('a number is invalid');
  return number;
}

function asRecord(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw unreadable('something in it is not an object');
  return { ...value };
}

function unreadable(why: string): Error {
  return new Error(`The response of the Flow access node cannot be read: ${why}.`);
}
