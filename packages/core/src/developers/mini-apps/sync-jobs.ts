import { enqueueMany } from '@latchkey/db';
import { job, scheduledRetry, shape, T, text } from '@latchkey/kernel';
import { askDiscord } from '../../communities/discord-guilds/index.ts';
import { communitiesWithApp, installedAppIds, removeManifest } from '../../communities/installs/index.ts';
import { communityIdField } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { parseCommunityKey } from '../../shared/qualified-ids.ts';
import { selectMiniApp } from './queries.ts';

export const appIdField = text('The mini-app.', { maxLength: 100 });
/** An app, or Discord, that is down for two days misses the event. */
export const patient = scheduledRetry([5, 30, 120, 600, 3600, 6 * 3600, 12 * 3600, 24 * 3600]);

/** Sets the commands of a community to those of its apps. */
export const syncOne = job(
  'miniapps.sync-commands',
  { payload: shape(T.Object({ communityId: communityIdField() })), retry: patient },
  (ctx: Context, payload) => syncCommands(ctx, payload.communityId),
);

const each = (ids: readonly string[]) => ids.map((id) => ({ payload: { communityId: id }, uniqueKey: id }));

/** Does the same wherever an app is installed. */
export const syncEverywhere = job(
  'miniapps.sync-everywhere',
  { payload: shape(T.Object({ appId: appIdField })) },
  async (ctx: Context, { appId }) => {
    await enqueueMany(ctx.db.system, syncOne, each(await communitiesWithApp(ctx.db.system, appId)));
  },
);

/** Uninstalls a deleted app from every community. */
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

/** Returns the commands of every listed app of a community, in the order of installation. */
async function commandsOf(ctx: Pick<Context, 'db'>, communityId: string): Promise<Record<string, unknown>[]> {
  const ids = await installedAppIds(ctx.db.system, communityId);
  const apps = await Promise.all(ids.map((id) => selectMiniApp(ctx.db.system, id)));
  const listed = apps.filter((app) => app?.status === 'LISTED');
  const commands = listed.flatMap((app) => app?.profile?.commands ?? []);
  const seen = new Set<unknown>();
  return commands.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** Sets exactly these app commands in the community's Discord server. */
async function syncCommands(ctx: Context, communityId: string): Promise<void> {
  const { platform, communityId: guildId = '' } = parseCommunityKey(communityId) ?? {};
  if (platform !== 'discord') return;
  const commands = await commandsOf(ctx, communityId);
  await askDiscord(ctx, (discord) => discord.setGuildCommands(guildId, commands));
}
