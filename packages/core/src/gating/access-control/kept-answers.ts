import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import type { HoldingsReader } from '../../ports/index.ts';
import type { RoleAnswer, TokenGatingRequest } from './token-gating.ts';

type KeptContext = Pick<Context, 'clock' | 'holdings'>;
type Cache = LRUCache<string, RoleAnswer>;

const maxAnswers = 10_000;
const maxLetters = 20_000_000;

// Kept per reader and not per module, for one process may serve several platforms.
const caches = new WeakMap<HoldingsReader, Cache>();

/** The answer to the same rules about the same account, if memory still holds all that it was decided by. */
export function findKept(ctx: KeptContext, request: TokenGatingRequest): RoleAnswer | undefined {
  const key = keyOf(request);
  return key === undefined ? undefined : cacheFor(ctx).get(key);
}

/** Keeps an answer for a time. One that is open anywhere is decided anew. */
export function keepAnswer(ctx: KeptContext, request: TokenGatingRequest, answer: RoleAnswer, ms: number): void {
  const key = keyOf(request);
  if (key !== undefined && ms > 0 && answer.errors.length === 0) cacheFor(ctx).set(key, answer, { ttl: ms });
}

// Wallets are linked and unlinked, and names are pointed elsewhere: what they stand for is looked up each time.
function keyOf({ account = '', rules }: TokenGatingRequest): string | undefined {
  if (account === '' || /\.eth\s*$/i.test(account)) return undefined;
  return `${account} ${JSON.stringify(rules)}`;
}

function cacheFor({ holdings, clock }: KeptContext): Cache {
  const present = caches.get(holdings);
  if (present !== undefined) return present;
  const cache: Cache = new LRUCache({
    max: maxAnswers,
    maxSize: maxLetters,
    sizeCalculation: (_answer, key) => key.length,
    ttl: 1,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() },
  });
  caches.set(holdings, cache);
  return cache;
}
