import { type CheckContext, guardTries } from './guard-tries.ts';
import { accept, findMatch } from './match.ts';

/**
 * Checks a code of one of the user's authenticator apps and uses it up; throws INVALID_OTP or TOO_MANY_TRIES. A user without
 * a confirmed app confirms a started enrolment by the first right code. Call it before opening a transaction.
 */
export async function verifyTotp(ctx: CheckContext, userId: string, code: string): Promise<true> {
  return guardTries(ctx, userId, async (tx, live, now) => {
    const confirmed = live.filter(({ state }) => state === 'confirmed');
    // Only confirmed secrets count: otherwise a stolen session could start an enrolment and pass with its code.
    const match = await findMatch(ctx, confirmed.length === 0 ? live : confirmed, code, now);
    if (match.verdict === 'right') await accept(tx, match, now);
    return match.verdict;
  });
}

/**
 * Like `verifyTotp`, but accepts only an app that is confirmed and was enrolled before a time: for actions that must stay
 * out of reach of a thief with a stolen session who enrols an app of their own.
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
