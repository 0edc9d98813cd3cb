import { planLimits } from '@latchkey/core';
import { AppError, principalId } from '@latchkey/kernel';
import { networkOf, type RateRule } from '../rate-limiter.ts';
import type { Server, Visit } from '../visit.ts';

/** As much of a visit as tells on whom it is counted. */
type Caller = Pick<Visit, 'actor' | 'client' | 'request' | 'reply'>;

/** Counts the request on its caller: a client application by its plan, a user or an address by the operator's rates. */
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
  throw new AppError(
    'RATE_LIMITED',
    `Too many requests: ${verdict.limit} in ${verdict.durationSeconds} s are allowed.`,
    {
      retryAfterSeconds: verdict.retryAfterSeconds,
    },
  );
}

async function rulesFor(visit: Caller, server: Server): Promise<RateRule[]> {
  const { actor } = visit;
  if (actor.kind === 'admin' || actor.kind === 'system') return [];
  if (actor.kind === 'anonymous')
    return [{ ...server.config.anonymousRate, bucket: `address:${networkOf(visit.request.ip)}` }];
  const perUser = actor.kind === 'user' ? [{ ...server.config.userRate, bucket: `user:${principalId(actor)}` }] : [];
  if (actor.client === undefined) return perUser;
  const bucket = `client:${actor.client.id}`;
  const plan = await planLimits(server.services, visit.client?.planId);
  return [...perUser, ...plan.rateLimits.map(({ points, durationSeconds }) => ({ points, durationSeconds, bucket }))];
}
