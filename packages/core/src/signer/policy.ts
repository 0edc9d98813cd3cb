import type { Tx } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { findOldestOf, type PendingRequest } from './queries.ts';
import { hashesOff, stepUpNeeded, unreadable } from './refusals.ts';
import { clockSkewSeconds, purposeOf, requestTtlSeconds } from './request.ts';
import type { SignerContext, SigningPolicy } from './signer-context.ts';

const minuteSeconds = 60;
const daySeconds = 24 * 60 * 60;

/** Refuses a request that is no longer, or not yet, of this moment. The asker cannot choose a longer life. */
export function assertTimely({ created_at, expires_at }: PendingRequest, now: Date): void {
  const [createdMs, expiresMs, nowMs] = [created_at.getTime(), expires_at.getTime(), now.getTime()];
  const isTimely =
    Math.abs(nowMs - createdMs) <= (requestTtlSeconds + clockSkewSeconds) * 1000 &&
    expiresMs - createdMs <= requestTtlSeconds * 1000;
  if (!isTimely)
    throw new AppError('UNAVAILABLE', 'The request is not of this moment. The clocks of the servers may differ.');
}

/** Refuses a text that is something else than the request says, and a bare hash that nobody stands for. */
export function assertAllowed(ctx: Pick<SignerContext, 'evmKeys' | 'policy'>, request: PendingRequest): void {
  const text = request.text ?? '';
  const purpose = purposeOf(text);
  if (purpose === 'unreadable') throw unreadable(ctx.evmKeys.isTransaction(text.trim()));
  if (purpose !== request.purpose) throw new AppError('STATE_CONFLICT', 'The text is not what the request calls it.');
  if (purpose === 'hash') assertHashAllowed(ctx.policy, request);
}

function assertHashAllowed(
  policy: Pick<SigningPolicy, 'allowsHashes'>,
  { stepped_up_at, created_at }: Pick<PendingRequest, 'stepped_up_at' | 'created_at'>,
): void {
  if (!policy.allowsHashes) throw hashesOff();
  // The proof belongs to this request alone, so it cannot be much older than the request.
  const isProved =
    stepped_up_at !== null && Math.abs(created_at.getTime() - stepped_up_at.getTime()) <= requestTtlSeconds * 1000;
  if (!isProved) throw stepUpNeeded();
}

/** Holds a user to what the operator allows in a minute and in a day. */
export async function assertWithinLimits(ctx: SignerContext, tx: Tx, userId: string, now: Date): Promise<void> {
  const { maxPerMinute, maxPerDay } = ctx.policy;
  const windows = [
    { limit: maxPerDay, seconds: daySeconds, name: 'day' },
    { limit: maxPerMinute, seconds: minuteSeconds, name: 'minute' },
  ];
  for (const { limit, seconds, name } of windows) {
    const since = new Date(now.getTime() - seconds * 1000);
    const oldest = await findOldestOf(tx, userId, limit, since);
    if (oldest === undefined) continue;
    throw new AppError('RATE_LIMITED', `A hosted wallet signs up to ${limit} times a ${name}. Try again later.`, {
      retryAfterSeconds: Math.max(1, Math.ceil((oldest.getTime() + seconds * 1000 - now.getTime()) / 1000)),
    });
  }
}
