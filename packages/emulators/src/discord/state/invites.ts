import { refusal } from '../errors.ts';
import { intents } from '../intents.ts';
import { can, permissionsOf } from '../permissions.ts';
import { viewNewInvite } from '../views.ts';
import { addMember } from './members.ts';
import type { Guild, Invite, Member, Snowflake, User } from './types.ts';
import type { World } from './world.ts';

const mostInvites = 1000;

type NewInvite = Pick<Invite, 'channelId' | 'inviter'> &
  Partial<Pick<Invite, 'maxAgeSeconds' | 'maxUses' | 'isTemporary' | 'roleIds' | 'targetUserIds'>>;

export function createInvite(world: World, guild: Guild, fields: NewInvite): Invite {
  dropExpired(world, guild);
  if (guild.invites.size >= mostInvites) throw refusal('tooManyInvites');
  const invite: Invite = {
    code: world.nextToken('invite').replace(/[-_]/g, '').slice(0, 10),
    createdAtMs: world.clock(),
    maxAgeSeconds: 86_400,
    maxUses: 0,
    uses: 0,
    isTemporary: false,
    roleIds: [],
    ...fields,
  };
  guild.invites.set(invite.code, invite);
  dispatchInvite(world, guild, 'INVITE_CREATE', () => viewNewInvite(guild, invite));
  return invite;
}

/** Returns false if there is no such invite. */
export function deleteInvite(world: World, guild: Guild, code: string): boolean {
  const invite = guild.invites.get(code);
  if (invite === undefined) return false;
  guild.invites.delete(code);
  dispatchInvite(world, guild, 'INVITE_DELETE', () => ({ channel_id: invite.channelId, guild_id: guild.id, code }));
  return true;
}

/** Sets who may use an invite. Discord processes the list afterwards, unless a test holds that. */
export function setTargetUsers(world: World, invite: Invite, userIds: readonly Snowflake[]): void {
  const nowMs = world.clock();
  const { heldTargetUsers } = world;
  invite.targetUserIds = userIds;
  invite.targetUsersJob = {
    status: heldTargetUsers === undefined ? 2 : heldTargetUsers === 'failed' ? 3 : 1,
    createdAtMs: nowMs,
    completedAtMs: heldTargetUsers === undefined ? nowMs : null,
  };
}

/** Completes the lists that are being processed. */
export function processTargetUsers(world: World): void {
  for (const { invites } of world.guilds.values())
    for (const { targetUsersJob } of invites.values())
      if (targetUsersJob?.status === 1) Object.assign(targetUsersJob, { status: 2, completedAtMs: world.clock() });
}

/** Removes what has expired. Discord sends no event about that. */
export function dropExpired(world: World, { invites }: Guild): void {
  for (const { code, createdAtMs, maxAgeSeconds } of invites.values())
    if (maxAgeSeconds > 0 && createdAtMs + maxAgeSeconds * 1000 <= world.clock()) invites.delete(code);
}

/** A user accepts an invite, and joins with its roles. A used-up invite disappears. */
export function acceptInvite(world: World, guild: Guild, code: string, user: User): Member {
  dropExpired(world, guild);
  const invite = guild.invites.get(code);
  const isForOthers = invite?.targetUserIds?.includes(user.id) === false;
  const isUnready = invite?.targetUsersJob !== undefined && invite.targetUsersJob.status !== 2;
  if (invite === undefined || isForOthers || isUnready) throw refusal('unknownInvite');
  if (guild.bans.has(user.id)) throw refusal('userIsBanned');
  const present = guild.members.get(user.id);
  // Nothing happens to members: they are in already, and the invite is not used up.
  if (present !== undefined) return present;
  const roles = invite.roleIds.filter((id: Snowflake) => guild.roles.has(id));
  const member = addMember(world, guild, user, roles);
  invite.uses += 1;
  if (invite.maxUses > 0 && invite.uses >= invite.maxUses) deleteInvite(world, guild, code);
  return member;
}

/** Sends an event to the bots that may manage the invite. */
function dispatchInvite(
  world: World,
  guild: Guild,
  type: 'INVITE_CREATE' | 'INVITE_DELETE',
  data: () => unknown,
): void {
  for (const { id, bot } of world.applications.values()) {
    const self = guild.members.get(bot.id);
    if (self === undefined) continue;
    const bits = permissionsOf(guild, self);
    if (!can(bits, 'MANAGE_GUILD') && !can(bits, 'MANAGE_CHANNELS')) continue;
    world.dispatch({ type, intent: intents.invites, guildId: guild.id, applicationId: id, data });
  }
}
