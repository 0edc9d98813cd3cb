import { LRUCache } from 'lru-cache';
import type { Answer, HoldingsReader, Question } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';

const ttlSeconds = 15;
const maxAnswers = 50_000;

type Cache = LRUCache<string, Promise<Answer>>;

// Per reader rather than per module, because one process may serve several platforms.
const caches = new WeakMap<HoldingsReader, Cache>();

/**
 * Returns answers by key, from the cache if they were read within the last seconds. Concurrent callers share a read in
 * progress. Unknown answers are not cached.
 */
export async function readRemembered(
  ctx: Pick<Context, 'clock' | 'holdings'>,
  questions: ReadonlyMap<string, Question>,
): Promise<Map<string, Answer>> {
  const cache = cacheFor(ctx);
  const answers = new Map<string, Promise<Answer>>();
  const missing = new Map<string, Question>();
  for (const [key, question] of questions) {
    const known = cache.get(key);
    if (known === undefined) missing.set(key, question);
    else answers.set(key, known);
  }
  if (missing.size > 0) {
    const batch = ctx.holdings.read([...missing.values()]);
    for (const [index, key] of [...missing.keys()].entries()) answers.set(key, keep(cache, key, pick(batch, index)));
  }
  const known = new Map<string, Answer>();
  for (const [key, answer] of answers) known.set(key, await answer);
  return known;
}

/** How long the cache still holds all of these answers. */
export function rememberedForMs(ctx: Pick<Context, 'clock' | 'holdings'>, keys: Iterable<string>): number {
  const cache = cacheFor(ctx);
  let least = ttlSeconds * 1000;
  for (const key of keys) least = Math.min(least, cache.getRemainingTTL(key));
  return least;
}

async function pick(batch: Promise<readonly Answer[]>, index: number): Promise<Answer> {
  try {
    return (await batch)[index] ?? { kind: 'unknown', reason: 'The reader returned no result.' };
  } catch {
    return { kind: 'unknown', reason: 'The reader failed.' };
  }
}

function keep(cache: Cache, key: string, answer: Promise<Answer>): Promise<Answer> {
  cache.set(key, answer);
  return answer.then((got) => {
    if (got.kind === 'unknown' && cache.peek(key) === answer) cache.delete(key);
    return got;
  });
}

function cacheFor({ holdings, clock }: Pick<Context, 'clock' | 'holdings'>): Cache {
  const present = caches.get(holdings);
  if (present !== undefined) return present;
  const cache: Cache = new LRUCache({
    max: maxAnswers,
    ttl: ttlSeconds * 1000,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() },
  });
  caches.set(holdings, cache);
  return cache;
}
