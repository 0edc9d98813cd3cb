import { enqueueMany } from '@latchkey/db';
import { job, scheduledRetry, shape, T, text } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { communitiesWithApp, removeManifest } from '../communities/index.ts';
import { syncCommands } from './sync-commands.ts';

export const appIdField = text('The mini-app.', { maxLength: 100 });
const communityId = text('The qualified id of the community.', { maxLength: 128 });
/** An app, or Discord, that is down for two days has missed the news. */
export const patient = scheduledRetry([5, 30, 120, 600, 3600, 6 * 3600, 12 * 3600, 24 * 3600]);

/** Makes the commands of a community those of the apps that it has. */
export const syncOne = job(
  'miniapps.sync-commands',
  { payload: shape(T.Object({ communityId })), retry: patient },
  (ctx: Context, payload) => syncCommands(ctx, payload.communityId),
);

const each = (ids: readonly string[]) => ids.map((id) => ({ payload: { communityId: id }, uniqueKey: id }));

/** The same wherever an app is installed. */
export const syncEverywhere = job(
  'miniapps.sync-everywhere',
  { payload: shape(T.Object({ appId: appIdField })) },
  async (ctx: Context, { appId }) => {
    await enqueueMany(ctx.db.system, syncOne, each(await communitiesWithApp(ctx.db.system, appId)));
  },
);

/** Takes an app that was deleted out of every community. */
export const withdrawApp = job(
  'miniapps.withdraw',
  { payload: shape(T.Object({ appId: appIdField })) },
  async (ctx: Context, { appId }) => {
    const ids = await communitiesWithApp(ctx.db.system, appId);
    await ctx.db.transaction('system', async (tx) => {
      await removeManifest(tx, appId);
      await enqueueMany(tx, syncOne, each(ids));
    });
  },
);
