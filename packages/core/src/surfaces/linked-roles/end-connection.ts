import { enqueue, type Tx } from '@latchkey/db';
import {
  type AppError,
  exponentialRetry,
  job,
  notFound,
  notSetUp,
  principalId,
  shape,
  T,
  text,
} from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { changeEnding, deleteEnding, insertEnding, selectEnding, takeConnection } from './queries.ts';
import { isRefused, openTokens, sealTokens, withTokens } from './tokens.ts';

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

type EndContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'linkedRoles' | 'settings'>;

/** Clears the user's values on Discord, and revokes their permission. */
export async function revokeEnded(ctx: EndContext, id: string, signal?: AbortSignal): Promise<void> {
  const { linkedRoles } = ctx;
  const row = await selectEnding(ctx.db.system, id);
  if (row === undefined) return;
  if (linkedRoles === undefined) throw new Error('Linked roles are no longer configured on this server.');
  const sent = { userId: id, platformName: ctx.settings.serviceName.slice(0, 50), userName: '', values: {} };
  const use = {
    tokens: openTokens(ctx, 'role_connection_endings', id, row),
    keep: (renewed: Parameters<typeof sealTokens>[3]) =>
      changeEnding(ctx.db.system, id, sealTokens(ctx, 'role_connection_endings', id, renewed)),
    ...(signal !== undefined && { signal }),
  };
  try {
    await withTokens(ctx, linkedRoles, use, async ({ accessToken, refreshToken }) => {
      await linkedRoles.send(accessToken, sent, signal);
      await linkedRoles.revoke(refreshToken, signal);
    });
  } catch (error) {
    // A user who revoked the authorization on Discord has already ended it.
    if (!isRefused(error)) throw error;
  }
  await deleteEnding(ctx.db.system, id);
}

/** Discord outages can last hours. */
export const endJob = job(
  'linked-roles.revoke',
  {
    payload: shape(T.Object({ id: text('What is to be revoked.', { maxLength: 64 }) })),
    retry: exponentialRetry(12, 30, 6 * 3600),
  },
  (ctx: Context, { id }, { signal }) => revokeEnded(ctx, id, signal),
);
