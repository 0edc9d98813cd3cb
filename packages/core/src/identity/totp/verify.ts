import type { Tx } from '@latchkey/db';
import { AppError, addSeconds } from '@latchkey/kernel';
import { verifying } from '../../port-guards/index.ts';
import { notifyLoginMethodAdded } from '../../services/security-notices/index.ts';
import type { Context } from '../../shared/context.ts';
import { burnStep, findStep, lockSeconds, maxWrongTries, secretPlace } from './enrolment.ts';
import { type Enrolment, type Guard, listLive, lockGuard, updateEnrolment, updateGuard } from './queries.ts';

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

type RightMatch = { verdict: 'right'; enrolment: Enrolment; step: number };

type Match = RightMatch | { verdict: Exclude<Verdict, 'right'> };

/**
 * Finds the app whose code this is. A code that one app has used may be a fresh one of another. If a secret cannot be
 * decrypted, the check fails as unavailable, and no attempt is counted.
 */
export function findMatch(
  ctx: Pick<CheckContext, 'keyring' | 'log'>,
  candidates: readonly Enrolment[],
  code: string,
  now: Date,
): Promise<Match> {
  return verifying(ctx, 'authenticators', () => compareCode(ctx, candidates, code, now));
}

function compareCode(
  ctx: Pick<CheckContext, 'keyring'>,
  candidates: readonly Enrolment[],
  code: string,
  now: Date,
): Match {
  let verdict: Exclude<Verdict, 'right'> = 'wrong';
  for (const enrolment of candidates) {
    if (enrolment.secret === null) continue;
    const secret = ctx.keyring.open(secretPlace(enrolment.user_id, enrolment.request_id), enrolment.secret);
    const step = findStep(secret, code, now);
    if (step === undefined) continue;
    if (!enrolment.used_steps.includes(step)) return { verdict: 'right', enrolment, step };
    verdict = 'used';
  }
  return { verdict };
}

/**
 * Consumes the code. The first code of an app activates the app and notifies the account's owner: every path that can
 * confirm an app ends here, so none can do it silently.
 */
export async function accept(tx: Tx, { enrolment, step }: RightMatch, now: Date): Promise<void> {
  await updateEnrolment(tx, enrolment, { state: 'confirmed', used_steps: burnStep(enrolment.used_steps, step, now) });
  if (enrolment.state === 'pending') await notifyLoginMethodAdded(tx, enrolment.user_id, 'authenticator-added');
}

/** `used`: the code was right, but has been accepted before. That is not a guess, so it does not count as one. */
type Verdict = 'right' | 'wrong' | 'used';

type CheckContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'log'>;

/**
 * Checks a code with the user's row locked, so that only one of many concurrent equal attempts succeeds. It runs in its
 * own transaction: a wrong attempt stays counted, and a used code used, if the caller's work is rolled back.
 */
export async function guardTries(
  ctx: CheckContext,
  userId: string,
  decide: (tx: Tx, live: Enrolment[], now: Date) => Promise<Verdict>,
): Promise<true> {
  const refusal = await ctx.db.transaction({ owner: userId }, async (tx) => {
    const guard = await lockGuard(tx, userId);
    const now = ctx.clock();
    const lockedMs = guard.locked_until === null ? 0 : guard.locked_until.getTime() - now.getTime();
    if (lockedMs > 0) return tooManyTries(lockedMs);
    const verdict = await decide(tx, await listLive(tx, userId, now), now);
    await count(tx, guard, verdict, now);
    return verdict === 'right' ? undefined : refusals[verdict]();
  });
  if (refusal !== undefined) throw refusal;
  return true;
}

async function count(tx: Tx, guard: Guard, verdict: Verdict, now: Date): Promise<void> {
  if (verdict === 'used') return;
  if (verdict === 'right') return updateGuard(tx, { ...guard, wrong_tries: 0, locked_until: null });
  const wrongTries = guard.wrong_tries + 1;
  await (wrongTries < maxWrongTries
    ? updateGuard(tx, { ...guard, wrong_tries: wrongTries })
    : updateGuard(tx, { ...guard, wrong_tries: 0, locked_until: addSeconds(now, lockSeconds) }));
}

const refusals = {
  wrong: () => new AppError('INVALID_OTP', 'The code is wrong. Check your phone’s clock, and send the current code.'),
  used: () => new AppError('INVALID_OTP', 'This code was already used. Wait for the next one.'),
};

function tooManyTries(lockedMs: number): AppError {
  const retryAfterSeconds = Math.ceil(lockedMs / 1000);
  return new AppError(
    'TOO_MANY_TRIES',
    `Too many wrong codes. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes.`,
    {
      retryAfterSeconds,
    },
  );
}
