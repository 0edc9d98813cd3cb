import { notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import { deleteSession, endSessionsOf, endTokensOf, revokeSession, selectSessions } from '../credentials/index.ts';
import { deleteBrowserSessions } from '../oauth2/index.ts';
import { type Session, toSession } from './way-in.ts';

type SessionContext = Pick<Context, 'actor' | 'clock' | 'db' | 'tx'>;

export async function listSessions(ctx: SessionContext): Promise<Session[]> {
  const currentId = ctx.actor.kind === 'user' ? ctx.actor.sessionId : undefined;
  const rows = await ctx.tx((tx) => selectSessions(tx, principalId(ctx.actor), ctx.clock()));
  return rows.map((row) => toSession(row, currentId));
}

export async function endSession(ctx: SessionContext, { id }: { id: string }): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    const session = await deleteSession(tx, principalId(ctx.actor), id);
    if (session === undefined) throw notFound('session');
    await revokeSession(tx, session);
  });
}

/** Ends what the person could be signed in by, in every browser. What applications were allowed is another matter. */
export async function endAllSessions(ctx: SessionContext & Pick<Context, 'keyring'>): Promise<void> {
  const userId = principalId(ctx.actor);
  await ctx.db.transaction('system', async (tx) => {
    await endSessionsOf(ctx, tx, userId);
    await endTokensOf(tx, userId, ctx.clock());
    await deleteBrowserSessions(tx, userId);
  });
}
