import { notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import {
  deleteConsoleSessionOf,
  deleteSession,
  endSessionsOf,
  endTokenOf,
  endTokensOf,
  revokeSession,
  selectConsoleSessions,
  selectSessions,
  selectTokensOf,
} from '../../developers/credentials/index.ts';
import { deleteBrowserSessions } from '../../developers/oauth2/index.ts';
import { type Session, toSession } from './way-in.ts';

type SessionContext = Pick<Context, 'actor' | 'clock' | 'db' | 'tx'>;

export async function listSessions(ctx: SessionContext): Promise<Session[]> {
  const currentId = ctx.actor.kind === 'user' ? ctx.actor.sessionId : undefined;
  const [userId, now] = [principalId(ctx.actor), ctx.clock()];
  const rows = await ctx.tx((tx) => selectSessions(tx, userId, now));
  const tokens = await selectTokensOf(ctx.db.system, userId, now);
  const ofOperator = tokens.map(({ id, scopes, issued_at, expires_at }) =>
    toSession(
      { id, credential: 'operator-token', client_id: null, scopes, created_at: issued_at, expires_at },
      undefined,
    ),
  );
  const inConsole = await selectConsoleSessions(ctx.db.system, userId, now);
  const ofConsole = inConsole.map(({ id, scopes, created_at, expires_at }) =>
    toSession({ id, credential: 'console-session', client_id: null, scopes, created_at, expires_at }, currentId),
  );
  return [...ofOperator, ...ofConsole, ...rows.map((row) => toSession(row, currentId))];
}

export async function endSession(ctx: SessionContext, { id }: { id: string }): Promise<void> {
  await ctx.db.transaction('system', async (tx) => {
    const userId = principalId(ctx.actor);
    const session = await deleteSession(tx, userId, id);
    if (session !== undefined) return revokeSession(tx, session);
    if (await deleteConsoleSessionOf(tx, userId, id)) return;
    if (!(await endTokenOf(tx, userId, id, ctx.clock()))) throw notFound('session');
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
