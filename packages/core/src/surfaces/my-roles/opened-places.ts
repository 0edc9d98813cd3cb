import { LRUCache } from 'lru-cache';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import {
  type DiscordApi,
  type DiscordChannelObject,
  type DiscordRoleObject,
  discordPermissions,
  PlatformFailed,
} from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { memberRole } from '../telegram/index.ts';

type PlaceContext = Pick<Context, 'discord' | 'log'>;

const mostPlaces = 50;
const recentMs = 60_000;
type Places = ReadonlyMap<string, string[]>;

// A page of a member asks again after each step, and a platform allows few calls.
const recent = new WeakMap<DiscordApi, LRUCache<string, Places>>();

/** The channels or groups that each role opens, by its id. What the platform does not say is left out, never guessed. */
export async function readOpenedPlaces(
  ctx: PlaceContext,
  { id, platform, community_id, name }: CommunityRow,
): Promise<Places> {
  if (platform === 'telegram') return new Map([[memberRole, [name]]]);
  if (platform !== 'discord' || ctx.discord === undefined) return new Map();
  const cache = recent.get(ctx.discord) ?? new LRUCache({ max: 1_000, ttl: recentMs });
  recent.set(ctx.discord, cache);
  const known = cache.get(community_id);
  if (known !== undefined) return known;
  try {
    const [roles, channels] = await Promise.all([
      ctx.discord.readRoles(community_id),
      ctx.discord.readChannels(community_id),
    ]);
    const places = new Map(roles.map((role) => [role.id, opens(role, roles, channels, community_id)]));
    cache.set(community_id, places);
    return places;
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    ctx.log.warn('Could not read which channels roles open.', { communityId: id, reason: error.message });
    return new Map();
  }
}

/** Channels that members see with the role and would not see without any. */
function opens(
  role: DiscordRoleObject,
  roles: readonly DiscordRoleObject[],
  channels: readonly DiscordChannelObject[],
  guildId: string,
): string[] {
  const everyone = roles.find(({ id }) => id === guildId);
  if (everyone === undefined || role.id === guildId) return [];
  const before = BigInt(everyone.permissions);
  const after = before | BigInt(role.permissions);
  return channels
    .filter(({ type }) => type !== category)
    .filter((channel) => !sees(before, channel, [guildId]) && sees(after, channel, [guildId, role.id]))
    .flatMap(({ name }) => name ?? [])
    .slice(0, mostPlaces);
}

const category = 4;

/** By Discord's order: the overwrite of @everyone first, then that of the role. */
function sees(base: bigint, { permission_overwrites: overwrites = [] }: DiscordChannelObject, ids: readonly string[]) {
  if ((base & discordPermissions.Administrator) !== 0n) return true;
  const bits = ids.reduce((sum, id) => {
    const own = overwrites.find((overwrite) => overwrite.id === id);
    return own === undefined ? sum : (sum & ~BigInt(own.deny)) | BigInt(own.allow);
  }, base);
  return (bits & discordPermissions.ViewChannel) !== 0n;
}
