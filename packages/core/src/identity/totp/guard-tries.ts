import type { Tx } from '@latchkey/db';
import { AppError, addSeconds } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { lockSeconds, maxWrongTries } from './enrolment.ts';
import { type Enrolment, type Guard, listLive, lockGuard, updateGuard } from './queries.ts';

/** `used`: the code was right, but has been accepted before. That is not a guess, so it does not count as one. */
export type Verdict = 'right' | 'wrong' | 'used';

export type CheckContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'log'>;

/**
 * Checks a code with the user's row locked, so that only one of many concurrent equal attempts succeeds. It runs in its
 * own transaction: a wrong attempt stays counted, and a used code used, if the caller's work is rolled back.
 */
export async function guardTries(
  ctx: CheckContext,
  userId: string,
  judge: (tx: Tx, live: Enrolment[], now: Date) => Promise<Verdict>,
): Promise<true> {
  const refusal = await ctx.db.transaction({ owner: userId }, async (tx) => {
    const guard = await lockGuard(tx, userId);
    const now = ctx.clock();
    const lockedMs = guard.locked_until === null ? 0 : guard.locked_until.getTime() - now.getTime();
    if (lockedMs > 0) return tooManyTries(lockedMs);
    const verdict = await judge(tx, await listLive(tx, userId, now), now);
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
