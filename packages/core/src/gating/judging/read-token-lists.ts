import { parseTokenIds, type TokenIdSet } from '@latchkey/kernel';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import type { Egress } from '../../ports/index.ts';
import { type Rule, tokenListUrlsOf } from '../rules/index.ts';

const ttlSeconds = 300;
const maxListBytes = 2_000_000;
const timeoutMs = 10_000;

const caches = new WeakMap<Egress, LRUCache<string, Promise<TokenIdSet | undefined>>>();

/** The lists of token ids that rules name by address. A list that cannot be read is absent, and not remembered. */
export async function readTokenLists(
  ctx: Pick<Context, 'clock' | 'egress'>,
  rules: readonly Rule[],
): Promise<Map<string, TokenIdSet>> {
  const lists = new Map<string, TokenIdSet>();
  const urls = [...new Set(rules.flatMap(tokenListUrlsOf))];
  if (urls.length === 0) return lists;
  const cache = cacheFor(ctx);
  await Promise.all(
    urls.map(async (url) => {
      const reading = cache.get(url) ?? readList(ctx.egress, url);
      cache.set(url, reading);
      const list = await reading;
      if (list !== undefined) lists.set(url, list);
      else if (cache.peek(url) === reading) cache.delete(url);
    }),
  );
  return lists;
}

// Whatever goes wrong with somebody else's list makes the rule unknown, and nothing else.
async function readList(egress: Egress, url: string): Promise<TokenIdSet | undefined> {
  try {
    const { status, body } = await egress.send({ method: 'GET', url, timeoutMs, maxResponseBytes: maxListBytes });
    return status === 200 ? parseTokenIds(new TextDecoder().decode(body)) : undefined;
  } catch {
    return undefined;
  }
}

function cacheFor({ egress, clock }: Pick<Context, 'clock' | 'egress'>) {
  const present = caches.get(egress);
  if (present !== undefined) return present;
  const cache = new LRUCache<string, Promise<TokenIdSet | undefined>>({
    max: 200,
    ttl: ttlSeconds * 1000,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() },
  });
  caches.set(egress, cache);
  return cache;
}
