import { type Fetch, fieldOf } from '@latchkey/adapter-kit';
import { hexToBytes } from '@noble/hashes/utils.js';
import { postJson } from '../post-json.ts';

/** The key that a contract returns; it may have none. */
export type PublicKeyAnswer = { kind: 'key'; publicKey: Uint8Array } | { kind: 'none' };

/** Reads the public key from the contract at an address. Returns undefined if the network could not be read. */
export type FindPublicKey = (
  address: string,
  chain: string,
  signal: AbortSignal | undefined,
) => Promise<PublicKeyAnswer | undefined>;

export interface TonRpcOptions {
  fetch: Fetch;
  /** The URL of TON Center's JSON-RPC (API version 2) for each network. */
  urls: Readonly<Record<string, string>>;
  timeoutMs?: number;
}

function readPublicKey(answer: unknown): PublicKeyAnswer | undefined {
  const result = fieldOf(answer, 'result');
  const exitCode = fieldOf(result, 'exit_code');
  if (!Number.isInteger(exitCode)) return undefined;
  // The contract does not have the method, or there is no contract yet. The error code depends on the version.
  if (exitCode !== 0) return { kind: 'none' };
  const stack = fieldOf(result, 'stack');
  if (!Array.isArray(stack) || stack.length !== 1) return undefined;
  const [type, value]: unknown[] = Array.isArray(stack[0]) ? stack[0] : [];
  if (type !== 'num' || typeof value !== 'string' || !/^0x[0-9a-f]{1,64}$/i.test(value)) return undefined;
  return { kind: 'key', publicKey: hexToBytes(value.slice(2).padStart(64, '0')) };
}

/** Runs the get-method `get_public_key` over the JSON-RPC of TON Center. */
export function createTonPublicKeyLookup({ fetch, urls, timeoutMs = 5000 }: TonRpcOptions): FindPublicKey {
  return async (address, chain, signal) => {
    const url = urls[chain];
    if (url === undefined) return undefined;
    const params = { address, method: 'get_public_key', stack: [] };
    const request = { jsonrpc: '2.0', id: 'latchkey', method: 'runGetMethod', params };
    return readPublicKey(await postJson(url, request, { fetch, timeoutMs, signal }));
  };
}
