import type { Tx } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { judgeText } from './judge-text.ts';
import { findOldestOf, type PendingRequest } from './queries.ts';
import { stepUpNeeded, unreadable } from './refusals.ts';
import { approvedPurposes, clockSkewSeconds, type Purpose, purposeOf, requestTtlSeconds } from './request.ts';
import type { SignerContext } from './signer-context.ts';

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

/** Refuses a text that lets somebody in here, and one that its user must approve and has not. `digest` is what would be signed. */
export function assertAllowed(
  ctx: Pick<SignerContext, 'policy'>,
  request: PendingRequest & { purpose: Purpose; text: string },
  digest: string,
): void {
  const { user_id: userId, purpose, text } = request;
  if (judgeText({ userId, purpose, text }, ctx.policy).needsApproval && !isApproved(request, digest))
    throw stepUpNeeded();
}

/** The text decides what it is, not the request. */
export async function assertPurpose(
  ctx: Pick<SignerContext, 'evmKeys'>,
  { purpose, text }: { purpose: Purpose; text: string },
): Promise<void> {
  const found = purposeOf(text);
  if (found === 'unreadable') throw unreadable(await ctx.evmKeys.isTransaction(text.trim()));
  if (found !== purpose) throw new AppError('STATE_CONFLICT', 'The text is not what the request calls it.');
}

function isApproved(
  {
    stepped_up_at,
    approved_digest,
    created_at,
  }: Pick<PendingRequest, 'stepped_up_at' | 'approved_digest' | 'created_at'>,
  digest: string,
): boolean {
  if (stepped_up_at === null || approved_digest !== digest) return false;
  // The proof belongs to this request alone, so it cannot be much older than the request.
  return Math.abs(created_at.getTime() - stepped_up_at.getTime()) <= requestTtlSeconds * 1000;
}

interface Window {
  limit: number;
  seconds: number;
  name: string;
  purposes?: readonly Purpose[];
}

/** Holds a user to what the operator allows in a minute and in a day, and typed data and hashes to a limit of their own. */
export async function assertWithinLimits(
  ctx: SignerContext,
  tx: Tx,
  { user_id: userId, purpose }: { user_id: string; purpose: Purpose },
  now: Date,
): Promise<void> {
  const { maxPerMinute, maxPerDay, maxTypedPerDay } = ctx.policy;
  const windows: Window[] = [
    { limit: maxPerDay, seconds: daySeconds, name: 'times a day' },
    { limit: maxPerMinute, seconds: minuteSeconds, name: 'times a minute' },
  ];
  if (approvedPurposes.includes(purpose))
    windows.push({
      limit: maxTypedPerDay,
      seconds: daySeconds,
      name: 'typed data and hashes a day',
      purposes: approvedPurposes,
    });
  for (const { limit, seconds, name, purposes } of windows) {
    const since = new Date(now.getTime() - seconds * 1000);
    const oldest = await findOldestOf(tx, userId, { limit, since, purposes });
    if (oldest === undefined) continue;
    throw new AppError('RATE_LIMITED', `A hosted wallet signs up to ${limit} ${name}. Try again later.`, {
      retryAfterSeconds: Math.max(1, Math.ceil((oldest.getTime() + seconds * 1000 - now.getTime()) / 1000)),
    });
  }
}
