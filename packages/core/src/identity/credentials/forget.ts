import type { Sql, Tx } from '@latchkey/db';
import { addSeconds, type PresenceProof } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import type { Erasure } from '../../shared/module.ts';
import { aeSkewSeconds, endMarks, maxAeTtlSeconds } from './ae-token.ts';
import { deleteConsoleSessionsBy, deleteConsoleSessionsOf } from './console-session-queries.ts';
import { deleteSessionsOf, insertRevoked } from './queries.ts';

/** Ends every token of a user: stored ones are deleted, and earlier AE tokens are no longer accepted. */
export const credentialsErasure: Erasure = {
  columns: [
    'access_tokens.user_id',
    'access_tokens.user_name',
    'console_sessions.user_id',
    'console_sessions.user_name',
    'sessions.user_id',
  ],
  stage: 'at-once',
  forget: async (ctx, tx, { userId, clientIds }) => {
    await tx
      .deleteFrom('access_tokens')
      .where((eb) => eb.or([eb('user_id', '=', userId), eb('client_id', '=', eb.fn.any(eb.val([...clientIds])))]))
      .execute();
    await endSessionsOf(ctx, tx, userId);
  },
};

/**
 * Ends the console sessions that a user opened with this login method, except the current one: a thief who signed in
 * with a wallet or passkey that is now removed does not stay signed in for days.
 */
export async function endSessionsBy(
  { actor }: Pick<Context, 'actor'>,
  db: Sql,
  userId: string,
  how: PresenceProof,
): Promise<void> {
  const current = actor.kind === 'user' ? actor.sessionId : undefined;
  await deleteConsoleSessionsBy(db, userId, how, current ?? '');
}

/** Ends every AE token of a user that was issued until now, and their console sessions. */
export async function endSessionsOf(ctx: Pick<Context, 'clock' | 'keyring'>, tx: Tx, userId: string): Promise<void> {
  await deleteSessionsOf(tx, userId);
  await deleteConsoleSessionsOf(tx, userId);
  const [mark] = endMarks(ctx.keyring, userId);
  const until = addSeconds(ctx.clock(), maxAeTtlSeconds + aeSkewSeconds);
  if (mark !== undefined) await insertRevoked(tx, mark, until);
}
