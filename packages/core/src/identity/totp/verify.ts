import { type CheckContext, guardTries } from './guard-tries.ts';
import { accept, findMatch } from './match.ts';

/**
 * Verifies a code of one of the user's authenticator apps and consumes it; throws INVALID_OTP or TOO_MANY_TRIES. The
 * first correct code of a user without a confirmed app confirms a pending enrolment. Call it before opening a
 * transaction.
 */
export async function verifyTotp(ctx: CheckContext, userId: string, code: string): Promise<true> {
  return guardTries(ctx, userId, async (tx, live, now) => {
    const confirmed = live.filter(({ state }) => state === 'confirmed');
    // Once one is confirmed, only confirmed apps are accepted: otherwise a stolen session could start an enrolment and
    // use its code.
    const match = await findMatch(ctx, confirmed.length === 0 ? live : confirmed, code, now);
    if (match.verdict === 'right') await accept(tx, match, now);
    return match.verdict;
  });
}

/**
 * Like `verifyTotp`, but accepts only a confirmed app that was enrolled before a time: for actions that a thief with a
 * stolen session must not reach by enrolling their own app.
 */
export async function verifyTotpEnrolledBefore(
  ctx: CheckContext,
  userId: string,
  code: string,
  before: Date,
): Promise<true> {
  return guardTries(ctx, userId, async (tx, live, now) => {
    const settled = live.filter(({ state, created_at }) => state === 'confirmed' && created_at <= before);
    const match = await findMatch(ctx, settled, code, now);
    if (match.verdict === 'right') await accept(tx, match, now);
    return match.verdict;
  });
}
