import { nowMs, printError } from './runtime.ts';
import { type CheckedRoles, evaluate, type Need, type Verdict } from './verdict.ts';

/** A rule as the API accepts it: `{ type: 'ERC721', chainId: 1, contractAddress: '0x…', roleId: 'member' }`. */
export interface Rule {
  type?: string | undefined;
  roleId?: string | undefined;
  chainId?: number | undefined;
  contractAddress?: string | undefined;
  minToken?: string | number | undefined;
  [field: string]: unknown;
}

/**
 * The visitor: a wallet address that they have proved to own, or their OAuth2 access token. Take it from your own session, never from the
 * request itself: anyone can send an address.
 */
export type Visitor = { account: string } | { accessToken: string };

export interface GateOptions {
  /** The URL of your Latchkey server. */
  baseUrl: string;
  /** The API key of a client app with the scope `token-gating`. It stays on your server. */
  apiKey: string;
  rules: readonly Rule[];
  /** Whether one of the roles is enough or all are required. Defaults to `any`. */
  need?: Need;
  /** How long a decision is cached for the same visitor. Defaults to 30. */
  cacheSeconds?: number;
  /** How long to wait for the server. Defaults to 10,000. */
  timeoutMs?: number;
  /** Receives the reason when something could not be decided. Defaults to printing it. */
  onError?(error: unknown): void;
  /** For tests. */
  fetch?: typeof fetch;
}

export interface Gate {
  /** Checks whether a visitor may pass. Never throws: what cannot be determined is `unknown`. */
  check(visitor: Visitor): Promise<Verdict>;
}

/** The server could not decide. */
export class GateError extends Error {
  override name = 'GateError';
}

const noAnswer = 'Latchkey decided about no role, and gave no reason.';

const mostVisitors = 10_000;

export function createGate(options: GateOptions): Gate {
  const { rules, need = 'any', cacheSeconds = 30, onError = printError } = options;
  if (!URL.canParse(options.baseUrl)) throw new TypeError('baseUrl must be the address of your Latchkey server.');
  if (rules.length === 0) throw new TypeError('A gate needs at least one rule: without any it would say nothing.');
  const decided = new Map<string, { verdict: Promise<Verdict>; untilMs: number }>();
  const decide = async (visitor: Visitor): Promise<Verdict> => {
    try {
      const verdict = evaluate(await askServer(options, visitor), need);
      if (verdict.status === 'unknown') onError(new GateError(`Undecided. ${verdict.reasons?.join(' ') ?? noAnswer}`));
      return verdict;
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
      // Evict the oldest entries first.
      for (const oldest of decided.keys()) if (decided.size >= mostVisitors) decided.delete(oldest);
      decided.delete(key);
      decided.set(key, { verdict, untilMs: nowMs() + cacheSeconds * 1_000 });
      const { status } = await verdict;
      // Unknown results are not cached.
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
  if (!response.ok) throw new GateError(`Latchkey responded with ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as CheckedRoles;
}
