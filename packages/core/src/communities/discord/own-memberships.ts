import type { ValueOf } from '@latchkey/kernel';
import { principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { type Community, communitiesOfAdmin, communitiesOfMember, nativeUserId } from '../communities/index.ts';
import { askDiscord } from './ask-discord.ts';
import { toMember } from './member.ts';

/** Each costs a call of the bot, which all communities share. */
export const mostGuildsAsked = 20;

type OwnContext = Pick<Context, 'actor' | 'clock' | 'db' | 'discord' | 'keyring' | 'random' | 'tx'>;
type CommunityValue = ValueOf<typeof Community>;

/** The Discord communities known here that the caller is in or looks after. */
export async function listOwnCommunities(ctx: OwnContext): Promise<Record<string, unknown>[]> {
  return (await findOwn(ctx)).map(({ community, isAdmin }) => ({ ...community, isAdmin }));
}

/** What the caller is in the first of those communities, as Discord shows it now. */
export async function listOwnMembers(ctx: OwnContext): Promise<Record<string, unknown>[]> {
  const userId = nativeUserId('discord', principalId(ctx.actor));
  if (userId === undefined) return [];
  const own = (await findOwn(ctx)).slice(0, mostGuildsAsked);
  return askDiscord(ctx, async (discord) => {
    const found = await Promise.all(
      own.map(async ({ community }) => {
        const guildId = community.communityId ?? '';
        // One guild that let the bot go must not hide the others.
        const member = await discord.readMember(guildId, userId).catch((error: unknown) => {
          if (error instanceof PlatformFailed && error.kind === 'unknown-community') return undefined;
          throw error;
        });
        return member && { ...toMember(member), guild_id: guildId, guild_name: community.name };
      }),
    );
    return found.filter((member) => member !== undefined);
  });
}

async function findOwn(ctx: OwnContext): Promise<{ community: CommunityValue; isAdmin: boolean }[]> {
  const userId = principalId(ctx.actor);
  const administered = await communitiesOfAdmin(ctx, userId, 'discord');
  const joined = await communitiesOfMember(ctx, userId, 'discord');
  const adminIds = new Set(administered.map(({ id }) => id));
  const all = new Map([...joined, ...administered].map((community) => [community.id, community]));
  return [...all.values()].map((community) => ({ community, isAdmin: adminIds.has(community.id) }));
}
