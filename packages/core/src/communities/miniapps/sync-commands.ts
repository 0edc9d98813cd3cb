import type { Context } from '../../context.ts';
import { installedAppIds, parseCommunityKey } from '../communities/index.ts';
import { askDiscord } from '../discord/index.ts';
import { selectMiniApp } from './queries.ts';

/** The commands of every listed app that a community has, the app that was installed first before the others. */
export async function commandsOf(ctx: Pick<Context, 'db'>, communityId: string): Promise<Record<string, unknown>[]> {
  const ids = await installedAppIds(ctx.db.system, communityId);
  const apps = await Promise.all(ids.map((id) => selectMiniApp(ctx.db.system, id)));
  const listed = apps.filter((app) => app?.status === 'LISTED');
  const commands = listed.flatMap((app) => app?.profile?.commands ?? []);
  const seen = new Set<unknown>();
  return commands.filter(({ name }) => !seen.has(name) && seen.add(name));
}

/** Makes Discord show these commands in the community's server, and no others of apps. */
export async function syncCommands(ctx: Context, communityId: string): Promise<void> {
  const { platform, communityId: guildId = '' } = parseCommunityKey(communityId) ?? {};
  if (platform !== 'discord') return;
  const commands = await commandsOf(ctx, communityId);
  await askDiscord(ctx, (discord) => discord.setGuildCommands(guildId, commands));
}
