import { nativeUserId } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { announce } from '../../machinery/announcements/index.ts';
import { changeConnection, type RoleConnectionRow, selectConnection } from './queries.ts';
import { readValues } from './read-values.ts';
import { areSame } from './records.ts';
import { openTokens, sealTokens } from './tokens.ts';
import { isRefused, withTokens } from './use-tokens.ts';

type UpdateContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'linkedRoles' | 'log' | 'settings'>;

const mostPlatformName = 50;
const mostUserName = 100;

/** Tells Discord what is true of somebody now, unless it was told that already. Throws when it should be tried again. */
export async function updateValues(ctx: UpdateContext, userId: string, signal?: AbortSignal): Promise<void> {
  const { linkedRoles } = ctx;
  const row = await selectConnection(ctx.db.system, userId);
  const discordId = nativeUserId('discord', userId);
  if (row === undefined || linkedRoles === undefined || discordId === undefined) return;
  const { access_token, refresh_token } = row;
  if (access_token === null || refresh_token === null) return;
  const values = await readValues(ctx.db.system, userId);
  if (row.told !== null && areSame(row.told, values)) return;
  const told = {
    userId: discordId,
    platformName: ctx.settings.serviceName.slice(0, mostPlatformName),
    userName: row.user_name.slice(0, mostUserName),
    values,
  };
  const use = {
    tokens: openTokens(ctx, 'role_connections', userId, { access_token, refresh_token, expires_at: row.expires_at }),
    keep: (renewed: Parameters<typeof sealTokens>[3]) =>
      changeConnection(ctx.db.system, row, sealTokens(ctx, 'role_connections', userId, renewed)),
    ...(signal !== undefined && { signal }),
  };
  try {
    await withTokens(ctx, linkedRoles, use, ({ accessToken }) => linkedRoles.tell(accessToken, told, signal));
  } catch (error) {
    if (!isRefused(error)) throw error;
    ctx.log.info('Discord does not accept the permission of a person any more.', { reason: error.message });
    return change({ access_token: null, refresh_token: null, lost_at: ctx.clock() });
  }
  await change({ told: values, told_at: ctx.clock() });

  /** The page of the person, if it is open, shows it at once. */
  function change(changes: Parameters<typeof changeConnection>[2]): Promise<void> {
    return ctx.db.transaction('system', async (tx) => {
      await changeConnection(tx, row as RoleConnectionRow, changes);
      await announce(tx, { changed: 'roles', accounts: [userId] });
    });
  }
}
