import { AppError, notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type Authenticator, toAuthenticator } from './authenticator.ts';
import { maxConfirmed } from './enrolment.ts';
import { guardTries } from './guard-tries.ts';
import { accept, findMatch } from './match.ts';
import { findEnrolment } from './queries.ts';

type ConfirmContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'settings' | 'tx'>;

/**
 * Takes another authenticator app into use, against a code of it. While one is in use a code of that is needed too, since
 * otherwise a stolen session could add an app of its own.
 */
export async function confirmAuthenticator(
  ctx: ConfirmContext,
  { requestId, body: { code, currentCode } }: { requestId: string; body: { code: string; currentCode?: string } },
): Promise<Authenticator> {
  const userId = principalId(ctx.actor);
  await guardTries(ctx, userId, async (tx, live, now) => {
    const pending = live.filter(({ request_id, state }) => request_id === requestId && state === 'pending');
    const confirmed = live.filter(({ state }) => state === 'confirmed');
    if (pending.length === 0) throw notFound('authenticator app that waits to be confirmed');
    if (confirmed.length >= maxConfirmed)
      throw new AppError('STATE_CONFLICT', `You can have ${maxConfirmed} authenticator apps. Remove one first.`);
    if (confirmed.length > 0 && currentCode === undefined) throw currentCodeNeeded();
    const added = findMatch(ctx, pending, code, now);
    if (added.verdict !== 'right') return added.verdict;
    if (currentCode !== undefined && confirmed.length > 0) {
      const current = findMatch(ctx, confirmed, currentCode, now);
      if (current.verdict !== 'right') return current.verdict;
      await accept(tx, current, now);
    }
    await accept(tx, added, now);
    return 'right';
  });
  const row = await ctx.tx((tx) => findEnrolment(tx, userId, requestId));
  if (row === undefined) throw notFound('authenticator app');
  return toAuthenticator(row);
}

function currentCodeNeeded(): AppError {
  return new AppError(
    'INVALID_OTP',
    'You already use an authenticator app. Send a code of it in currentCode. If you no longer have it, remove it first.',
  );
}
