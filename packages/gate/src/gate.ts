import { nowMs, printError } from './runtime.ts';
import { type CheckedRoles, evaluate, type Need, type Verdict } from './verdict.ts';

/** A rule, as the API takes it: `{ type: 'ERC721', chainId: 1, contractAddress: '0x…', roleId: 'member' }`. */
export interface Rule {
  type?: string;
  roleId?: string;
  chainId?: number;
  contractAddress?: string;
  minToken?: string | number;
  [field: string]: unknown;
}

/**
 * Who visits: a wallet address that they have proved to be theirs, or an OAuth2 access token of theirs. Take it from a session
 * that you keep, never from what the request says of itself: anybody can write an address.
 */
export type Visitor = { account: string } | { accessToken: string };

export interface GateOptions {
  /** Where your Latchkey server is. */
  baseUrl: string;
  /** The API key of a client app with the scope `token-gating`. It stays on your server. */
  apiKey: string;
  rules: readonly Rule[];
  /** Whether one of the roles is enough or all are needed. Defaults to `any`. */
  need?: Need;
  /** How long a decision is used again for the same visitor. Defaults to 30. */
  cacheSeconds?: number;
  /** How long to wait for the server. Defaults to 10,000. */
  timeoutMs?: number;
  /** Hears why something could not be decided. Prints it unless you say otherwise. */
  onError?(error: unknown): void;
  /** For tests. */
  fetch?: typeof fetch;
}

export interface Gate {
  /** Whether a visitor may pass. Never throws: what cannot be found out is `unknown`. */
  check(visitor: Visitor): Promise<Verdict>;
}

/** The server could not decide. */
export class GateError extends Error {
  override name = 'GateError';
}

const mostVisitors = 10_000;

export function createGate(options: GateOptions): Gate {
  const { rules, need = 'any', cacheSeconds = 30, onError = printError } = options;
  if (!URL.canParse(options.baseUrl)) throw new TypeError('baseUrl must be the address of your Latchkey server.');
  if (rules.length === 0) throw new TypeError('A gate needs at least one rule: without any it would say nothing.');
  const decided = new Map<string, { verdict: Promise<Verdict>; untilMs: number }>();
  const decide = async (visitor: Visitor): Promise<Verdict> => {
    try {
      return evaluate(await askServer(options, visitor), need);
    } catch (error) {
      onError(error);
      return { status: 'unknown', roles: [] };
    }
  };
  return {
    check: async (visitor) => {
      const key = JSON.stringify(visitor);
      const known = decided.get(key);
      if (known !== undefined && known.untilMs > nowMs()) return known.verdict;
      const verdict = decide(visitor);
      // The first that came is the first to go.
      for (const oldest of decided.keys()) if (decided.size >= mostVisitors) decided.delete(oldest);
      decided.delete(key);
      decided.set(key, { verdict, untilMs: nowMs() + cacheSeconds * 1_000 });
      const { status } = await verdict;
      // What is not known is asked again the next time.
      if (status === 'unknown' && decided.get(key)?.verdict === verdict) decided.delete(key);
      return verdict;
    },
  };
}

async function askServer(options: GateOptions, visitor: Visitor): Promise<CheckedRoles> {
  const { baseUrl, apiKey, rules, timeoutMs = 10_000, fetch: send = globalThis.fetch } = options;
  const credential: Record<string, string> =
    'accessToken' in visitor ? { authorization: `Bearer ${visitor.accessToken}` } : { 'x-api-key': apiKey };
  const response = await send(`${baseUrl.replace(/\/+$/, '')}/access-control/check-roles`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...credential },
    body: JSON.stringify({ ...('account' in visitor && { account: visitor.account }), rules }),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  if (!response.ok) throw new GateError(`Latchkey answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as CheckedRoles;
}
