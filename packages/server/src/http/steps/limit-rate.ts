import { planLimits } from '@latchkey/core';
import { AppError, principalId } from '@latchkey/kernel';
import { networkOf, type RateRule } from '../rate-limiter.ts';
import type { Server, Visit } from '../visit.ts';

/** The parts of a request that decide whose limit it counts against. */
type Caller = Pick<Visit, 'actor' | 'client' | 'request' | 'reply'> & Partial<Pick<Visit, 'operation'>>;

/**
 * Counts the request against its caller: a client application by its plan, a user or an address by the operator's
 * limits.
 */
export async function limitRate(visit: Caller, server: Server): Promise<void> {
  const rules = await rulesFor(visit, server);
  if (rules.length === 0) return;
  const verdict = await server.limiter.take(rules);
  visit.reply.headers({
    'x-ratelimit-limit': verdict.limit,
    'x-ratelimit-remaining': verdict.remaining,
    'x-ratelimit-reset': verdict.resetAt.toISOString(),
  });
  if (verdict.allowed) return;
  const { limit, durationSeconds, planName, retryAfterSeconds } = verdict;
  const limits =
    planName === undefined
      ? `the limit is ${limit} in ${durationSeconds} s`
      : `the plan ${planName} allows ${limit} in ${durationSeconds} s`;
  throw new AppError('RATE_LIMITED', `Too many requests: ${limits}.`, { retryAfterSeconds });
}

async function rulesFor(visit: Caller, server: Server): Promise<RateRule[]> {
  const { actor } = visit;
  if (actor.kind === 'admin' || actor.kind === 'system') return [];
  if (actor.kind === 'anonymous')
    return [{ ...server.config.anonymousRate, bucket: `address:${networkOf(visit.request.ip)}` }];
  const perUser = actor.kind === 'user' ? [{ ...server.config.userRate, bucket: `user:${principalId(actor)}` }] : [];
  if (actor.client === undefined) return perUser;
  const { id } = actor.client;
  const plan = await planLimits(server.services, visit.client?.planId);
  const ofPlan = plan.rateLimits
    .filter(({ scopes }) => isCounted(scopes, visit.operation?.contract.access.scopes ?? []))
    .map(({ key, points, durationSeconds }) => ({
      points,
      durationSeconds,
      bucket: `client:${id}:${key}`,
      planName: plan.name,
    }));
  return [...perUser, ...ofPlan];
}

/** A limit counts the operations that require one of its scopes. */
function isCounted(limited: readonly string[], opening: readonly string[]): boolean {
  return limited.includes('$all') || opening.some((scope) => limited.includes(scope));
}
