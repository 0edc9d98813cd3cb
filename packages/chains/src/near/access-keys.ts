import { type Fetch, fieldOf } from '@latchkey/adapter-kit';
import { postJson } from '../post-json.ts';

/** The network's record of an account's key. Any site may have a limited key, so it proves nothing. */
export type AccessKeyState = 'full-access' | 'limited' | 'no-such-key' | 'no-such-account';

/** Looks up a key (`ed25519:…`) of an account. Returns undefined if the network could not be read. */
export type FindAccessKey = (
  accountId: string,
  publicKey: string,
  chain: string,
  signal: AbortSignal | undefined,
) => Promise<AccessKeyState | undefined>;

export interface NearRpcOptions {
  fetch: Fetch;
  /** The JSON-RPC URL of each network. */
  urls: Readonly<Record<string, string>>;
  timeoutMs?: number;
}

/** Parses the response about a key. Nodes report a missing one as a message in `result`, or by name in `error.cause`. */
function readAccessKey(answer: unknown): AccessKeyState | undefined {
  const result = fieldOf(answer, 'result');
  const permission = fieldOf(result, 'permission');
  if (permission === 'FullAccess') return 'full-access';
  if (permission !== undefined) return 'limited';
  const cause = fieldOf(fieldOf(fieldOf(answer, 'error'), 'cause'), 'name');
  const sentence = fieldOf(result, 'error');
  const missing = typeof sentence === 'string' ? /^(access key|account) .*does not exist/.exec(sentence) : null;
  if (cause === 'UNKNOWN_ACCESS_KEY' || missing?.[1] === 'access key') return 'no-such-key';
  return cause === 'UNKNOWN_ACCOUNT' || missing ? 'no-such-account' : undefined;
}

/** Looks up access keys in final blocks over the JSON-RPC of a NEAR node. */
export function createNearAccessKeyLookup({ fetch, urls, timeoutMs = 5000 }: NearRpcOptions): FindAccessKey {
  return async (accountId, publicKey, chain, signal) => {
    const url = urls[chain];
    if (url === undefined) return undefined;
    const query = (params: Record<string, string>) =>
      postJson(
        url,
        { jsonrpc: '2.0', id: 'latchkey', method: 'query', params: { finality: 'final', ...params } },
        { fetch, timeoutMs, signal },
      );
    const state = readAccessKey(
      await query({ request_type: 'view_access_key', account_id: accountId, public_key: publicKey }),
    );
    if (state !== 'no-such-key') return state;
    // Many nodes report a missing key when the whole account is missing. The difference matters for an account that is yet to be created.
    const account = await query({ request_type: 'view_account', account_id: accountId });
    if (fieldOf(fieldOf(account, 'result'), 'amount') !== undefined) return 'no-such-key';
    return readAccessKey(account);
  };
}
