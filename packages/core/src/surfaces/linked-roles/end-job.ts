import { exponentialRetry, job, shape, T, text } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { changeEnding, deleteEnding, selectEnding } from './queries.ts';
import { openTokens, sealTokens } from './tokens.ts';
import { isRefused, withTokens } from './use-tokens.ts';

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
