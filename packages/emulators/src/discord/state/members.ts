import { refusal } from '../errors.ts';
import { intents } from '../intents.ts';
import { compareSnowflakes } from '../snowflake.ts';
import { viewMember, viewUser } from '../views.ts';
import type { Guild, Member, Snowflake, User } from './types.ts';
import type { World } from './world.ts';

export function addMember(
  world: World,
  guild: Guild,
  user: User,
  roleIds: Iterable<Snowflake> = [],
  isPending = false,
): Member {
  const present = guild.members.get(user.id);
  if (present) return present;
  if (guild.bans.has(user.id)) throw refusal('userIsBanned');
  const member: Member = {
    user,
    nick: null,
    roles: new Set(roleIds),
    joinedAt: world.nowIso(),
    mutedUntil: null,
    isPending,
  };
  guild.members.set(user.id, member);
  guild.sortedMemberIds = undefined;
  notifyMember(world, guild, member, 'GUILD_MEMBER_ADD');
  return member;
}

export function removeMember(world: World, guild: Guild, userId: Snowflake): boolean {
  const member = guild.members.get(userId);
  if (member === undefined) return false;
  guild.members.delete(userId);
  guild.sortedMemberIds = undefined;
  world.dispatch({
    type: 'GUILD_MEMBER_REMOVE',
    intent: intents.members,
    guildId: guild.id,
    data: () => ({ guild_id: guild.id, user: viewUser(member.user) }),
  });
  if (member.user.isBot) {
    const applicationId = member.user.id;
    world.dispatch({ type: 'GUILD_DELETE', intent: intents.guilds, applicationId, data: () => ({ id: guild.id }) });
  }
  return true;
}

/** Bans a user, who does not have to be a member. A member is removed first. */
export function banUser(world: World, guild: Guild, user: User, reason: string | null): void {
  if (guild.bans.has(user.id)) return;
  guild.bans.set(user.id, { user, reason });
  notifyBan(world, guild, user, 'GUILD_BAN_ADD');
  removeMember(world, guild, user.id);
}

/** Returns false if the user was not banned. */
export function unbanUser(world: World, guild: Guild, userId: Snowflake): boolean {
  const ban = guild.bans.get(userId);
  if (ban === undefined) return false;
  guild.bans.delete(userId);
  notifyBan(world, guild, ban.user, 'GUILD_BAN_REMOVE');
  return true;
}

function notifyBan(world: World, guild: Guild, user: User, type: 'GUILD_BAN_ADD' | 'GUILD_BAN_REMOVE'): void {
  const data = () => ({ guild_id: guild.id, user: viewUser(user) });
  world.dispatch({ type, intent: intents.moderation, guildId: guild.id, data });
}

export function notifyMember(
  world: World,
  guild: Guild,
  member: Member,
  type: 'GUILD_MEMBER_ADD' | 'GUILD_MEMBER_UPDATE',
): void {
  const data = () => ({ guild_id: guild.id, ...viewMember(member) });
  world.dispatch({ type, intent: intents.members, guildId: guild.id, data });
}

/** Returns members sorted by id, after one of them: the order in which Discord pages. */
export function membersAfter(guild: Guild, after: Snowflake, limit: number): Member[] {
  guild.sortedMemberIds ??= [...guild.members.keys()].sort(compareSnowflakes);
  const ids = guild.sortedMemberIds;
  const from = firstAfter(ids, after);
  return ids.slice(from, from + limit).flatMap((id) => guild.members.get(id) ?? []);
}

function firstAfter(ids: readonly Snowflake[], after: Snowflake): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareSnowflakes(ids[middle] ?? '', after) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns members whose name or nickname starts with this, case-insensitive. */
export function membersNamed(guild: Guild, prefix: string, limit: number): Member[] {
  const wanted = prefix.toLowerCase();
  return guild.members
    .values()
    .filter(({ user, nick }) =>
      [user.username, user.globalName, nick].some((name) => name?.toLowerCase().startsWith(wanted)),
    )
    .take(limit)
    .toArray();
}
