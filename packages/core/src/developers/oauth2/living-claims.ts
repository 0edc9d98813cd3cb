import { type Database, isUnavailable } from '@latchkey/db';
import { LRUCache } from 'lru-cache';
import { readRules } from '../../gating/evaluation/index.ts';
import { readRoles } from '../../gating/role-changes/index.ts';
import type { Truth } from '../../gating/rules/index.ts';
import type { Context } from '../../shared/context.ts';
import { parseLivingScope } from './living-scope.ts';

/** What a user has, by community: the ids of roles, and of the rules that their wallets meet. */
export interface LivingClaims {
  roles?: Record<string, string[]>;
  holdings?: Record<string, string[]>;
}

export type LivingContext = Pick<Context, 'clock' | 'db' | 'egress' | 'follower' | 'holdings' | 'log' | 'settings'>;

/** A chain read that takes longer counts as failed for a client waiting for a token. */
const readWithinMs = 1_200;
/** How long one read is shared by all requests about the same member. */
const cacheMs = 300;

type Rules = ReadonlyMap<string, Truth> | undefined;

// Cached per database and not per module, because one process may serve several.
const caches = new WeakMap<Database, LRUCache<string, Promise<Rules | 'failed'>>>();

/** Returns what the scopes request, as of now. Communities that the user is not a member of are omitted. */
export async function readLivingClaims(
  ctx: LivingContext,
  userId: string,
  scopes: Iterable<string>,
): Promise<LivingClaims> {
  const claims: LivingClaims = {};
  for (const scope of scopes) {
    const living = parseLivingScope(scope);
    if (living === undefined) continue;
    const { claim, communityId } = living;
    const ids =
      claim === 'roles' ? await readRoles(ctx, communityId, userId) : await metRules(ctx, communityId, userId);
    if (ids !== undefined) claims[claim] = { ...claims[claim], [communityId]: [...ids].toSorted() };
  }
  return claims;
}

/**
 * Whether all these claims are still true. Only what is certainly lost counts as lost: a chain that does not respond
 * removes nothing.
 */
export async function stillHold(ctx: LivingContext, userId: string, report: LivingClaims): Promise<boolean> {
  for (const [communityId, roleIds] of Object.entries(report.roles ?? {})) {
    const now = await readRoles(ctx, communityId, userId);
    if (now === undefined || roleIds.some((roleId) => !now.includes(roleId))) return false;
  }
  for (const [communityId, ruleIds] of Object.entries(report.holdings ?? {})) {
    const now = await cachedRules(ctx, communityId, userId);
    if (now === 'failed') continue;
    if (now === undefined || ruleIds.some((id) => (now.get(id) ?? 'false') === 'false')) return false;
  }
  return true;
}

async function metRules(ctx: LivingContext, communityId: string, userId: string): Promise<string[] | undefined> {
  const rules = await cachedRules(ctx, communityId, userId);
  if (rules === 'failed' || rules === undefined) return rules === undefined ? undefined : [];
  return [...rules].filter(([, truth]) => truth === 'true').map(([id]) => id);
}

function cachedRules(ctx: LivingContext, communityId: string, userId: string): Promise<Rules | 'failed'> {
  const cache = cacheFor(ctx);
  const key = `${communityId} ${userId}`;
  const reading = cache.get(key) ?? readInTime(ctx, communityId, userId);
  cache.set(key, reading, { noUpdateTTL: true });
  return reading;
}

async function readInTime(ctx: LivingContext, communityId: string, userId: string): Promise<Rules | 'failed'> {
  try {
    const signal = AbortSignal.timeout(readWithinMs);
    return await Promise.race([readRules(ctx, communityId, userId, signal), rejectAtEnd(signal)]);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    ctx.log.for('oauth').warn('Failed to read the holdings of a member.', { reason: String(error) });
    return 'failed';
  }
}

// A reader that ignores the signal must not block the caller either.
function rejectAtEnd(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function cacheFor({ db, clock }: Pick<Context, 'clock' | 'db'>) {
  const present = caches.get(db);
  if (present !== undefined) return present;
  const cache = new LRUCache<string, Promise<Rules | 'failed'>>({
    max: 10_000,
    ttl: cacheMs,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() },
  });
  caches.set(db, cache);
  return cache;
}
