import { planLimits } from '@latchkey/core';
import { AppError, principalId } from '@latchkey/kernel';
import { networkOf, type RateRule, type Verdict } from '../rate-limiter.ts';
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
    ...describeLimits(rules, verdict, server.services.clock()),
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

/** The names and format of draft-ietf-httpapi-ratelimit-headers: all limits, and what is left of the tightest. */
function describeLimits(rules: readonly RateRule[], verdict: Verdict, now: Date): Record<string, string> {
  const resetSeconds = Math.max(0, Math.ceil((verdict.resetAt.getTime() - now.getTime()) / 1000));
  return {
    'ratelimit-policy': rules
      .map(({ policy, points, durationSeconds }) => `${quoted(policy)};q=${points};w=${durationSeconds}`)
      .join(', '),
    ratelimit: `${quoted(verdict.policy)};r=${verdict.remaining};t=${resetSeconds}`,
  };
}

/** A string of structured fields (RFC 9651, 3.3.3), which is printable ASCII. Plans name their limits as they like. */
function quoted(text = 'default'): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&')}"`;
}

async function rulesFor(visit: Caller, server: Server): Promise<RateRule[]> {
  const { actor } = visit;
  if (actor.kind === 'admin' || actor.kind === 'system') return [];
  if (actor.kind === 'anonymous')
    return [{ ...server.config.anonymousRate, policy: 'address', bucket: `address:${networkOf(visit.request.ip)}` }];
  const perUser =
    actor.kind === 'user' ? [{ ...server.config.userRate, policy: 'user', bucket: `user:${principalId(actor)}` }] : [];
  if (actor.client === undefined) return perUser;
  const { id } = actor.client;
  const plan = await planLimits(server.services, visit.client?.planId);
  const ofPlan = plan.rateLimits
    .filter(({ scopes }) => isCounted(scopes, visit.operation?.contract.access.scopes ?? []))
    .map(({ key, points, durationSeconds }) => ({
      points,
      durationSeconds,
      bucket: `client:${id}:${key}`,
      policy: `${plan.name}: ${key}`,
      planName: plan.name,
    }));
  return [...perUser, ...ofPlan];
}

/** A limit counts the operations that require one of its scopes. */
function isCounted(limited: readonly string[], opening: readonly string[]): boolean {
  return limited.includes('$all') || opening.some((scope) => limited.includes(scope));
}
