import { enqueue, type Tx } from '@latchkey/db';
import { type AppError, notFound, notSetUp, principalId } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { endJob } from './end-job.ts';
import { insertEnding, takeConnection } from './queries.ts';
import { openTokens, sealTokens } from './tokens.ts';

/** Ends a user's connection immediately. A job revokes it at Discord, also after an outage. */
export async function endConnection(
  ctx: Pick<Context, 'clock' | 'keyring' | 'random'>,
  tx: Tx,
  userId: string,
): Promise<boolean> {
  const row = await takeConnection(tx, userId);
  if (row === undefined) return false;
  const { access_token, refresh_token, expires_at } = row;
  if (access_token === null || refresh_token === null) return true;
  const id = ctx.random.id();
  const tokens = openTokens(ctx, 'role_connections', userId, { access_token, refresh_token, expires_at });
  const sealed = sealTokens(ctx, 'role_connection_endings', id, tokens);
  await insertEnding(tx, { id, user_id: userId, ...sealed, ended_at: ctx.clock() });
  await enqueue(tx, endJob, { id }, { uniqueKey: id });
  return true;
}

/** Disconnects the caller from Discord's linked roles. */
export async function disconnectLinkedRoles(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random'>,
): Promise<void> {
  const userId = principalId(ctx.actor);
  const wasThere = await ctx.db.transaction('system', (tx) => endConnection(ctx, tx, userId));
  if (!wasThere) throw notFound('linked roles connection');
}

export function notOffered(): AppError {
  return notSetUp(
    'Linked roles are not configured. Set LATCHKEY_DISCORD_BOT_TOKEN, LATCHKEY_DISCORD_CLIENT_ID and LATCHKEY_DISCORD_CLIENT_SECRET on the server.',
  );
}
