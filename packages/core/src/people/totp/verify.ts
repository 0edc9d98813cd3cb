import type { Tx } from '@latchkey/db';
import { burnStep, findStep, secretPlace } from './enrolment.ts';
import { type CheckContext, guardTries, type Verdict } from './guard-tries.ts';
import { type Enrolment, updateEnrolment } from './queries.ts';

/**
 * Checks a code of the user's authenticator app and uses it up; throws INVALID_OTP or TOO_MANY_TRIES. A user without
 * a confirmed app confirms a started enrolment by the first right code. Call it before opening a transaction.
 */
export async function verifyTotp(ctx: CheckContext, userId: string, code: string): Promise<true> {
  return guardTries(ctx, userId, async (tx, live, now) => {
    const confirmed = live.find(({ state }) => state === 'confirmed');
    // Only the confirmed secret counts: otherwise a stolen session could start an enrolment and pass with its code.
    const match = findMatch(ctx, confirmed === undefined ? live : [confirmed], code, now);
    if (match.verdict === 'right') await accept(tx, match, now);
    return match.verdict;
  });
}

/**
 * Like `verifyTotp`, but only an app counts that is confirmed and was enrolled before a time: for what must stay out of
 * reach of somebody who has stolen a session and enrols an app of their own.
 */
export async function verifyTotpEnrolledBefore(
  ctx: CheckContext,
  userId: string,
  code: string,
  before: Date,
): Promise<true> {
  return guardTries(ctx, userId, async (tx, live, now) => {
    const settled = live.filter(({ state, created_at }) => state === 'confirmed' && created_at <= before);
    const match = findMatch(ctx, settled, code, now);
    if (match.verdict === 'right') await accept(tx, match, now);
    return match.verdict;
  });
}

/** Replaces the user's authenticator app by one whose enrolment was started, against a code of each. */
export async function replaceTotp(
  ctx: CheckContext,
  userId: string,
  { currentCode, newCode }: { currentCode: string; newCode: string },
): Promise<true> {
  return guardTries(ctx, userId, async (tx, live, now) => {
    const current = findMatch(
      ctx,
      live.filter(({ state }) => state === 'confirmed'),
      currentCode,
      now,
    );
    if (current.verdict !== 'right') return current.verdict;
    const next = findMatch(
      ctx,
      live.filter(({ state }) => state === 'pending'),
      newCode,
      now,
    );
    if (next.verdict !== 'right') return next.verdict;
    await updateEnrolment(tx, current.enrolment, { state: 'retired', secret: null, expires_at: now });
    await accept(tx, next, now);
    return 'right';
  });
}

type Match = { verdict: 'right'; enrolment: Enrolment; step: number } | { verdict: Exclude<Verdict, 'right'> };

function findMatch(ctx: CheckContext, candidates: readonly Enrolment[], code: string, now: Date): Match {
  for (const enrolment of candidates) {
    if (enrolment.secret === null) continue;
    const secret = ctx.keyring.open(secretPlace(enrolment.user_id, enrolment.request_id), enrolment.secret);
    const step = findStep(secret, code, now);
    if (step === undefined) continue;
    return enrolment.used_steps.includes(step) ? { verdict: 'used' } : { verdict: 'right', enrolment, step };
  }
  return { verdict: 'wrong' };
}

async function accept(tx: Tx, { enrolment, step }: Extract<Match, { verdict: 'right' }>, now: Date): Promise<void> {
  await updateEnrolment(tx, enrolment, { state: 'confirmed', used_steps: burnStep(enrolment.used_steps, step, now) });
}
