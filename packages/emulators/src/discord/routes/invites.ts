import { type Call, type Define, guildOf, type Here, idOf, need, paramOf } from '../call.ts';
import { invalidField, refusal } from '../errors.ts';
import { readFlag, readIds, readNumber, readText } from '../fields.ts';
import { can, outranksRole, permissionsOf } from '../permissions.ts';
import { noContent, ok, type Reply } from '../reply.ts';
import { isSnowflake } from '../snowflake.ts';
import { createInvite, deleteInvite, dropExpired, setTargetUsers } from '../state/invites.ts';
import type { Channel, Guild, Invite, Snowflake } from '../state/types.ts';
import { viewInvite } from '../views.ts';

const longestSeconds = 604_800;
const mostUses = 100;

export function defineInvites(define: Define): void {
  define('GET /guilds/:guild/invites', 'other', listInvites);
  define('GET /channels/:channel/invites', 'other', listChannelInvites);
  define('POST /channels/:channel/invites', 'invite-write', addInvite);
  define('GET /invites/:code/target-users', 'other', readTargetUsers);
  define('PUT /invites/:code/target-users', 'invite-write', changeTargetUsers);
  define('GET /invites/:code/target-users/job-status', 'other', readTargetUsersJob);
  define('GET /invites/:code', 'other', readInvite, { isOpen: true });
  define('DELETE /invites/:code', 'invite-write', removeInvite);
}

/** Bots that may only view the audit log see the invites, but not how they were used. */
function listInvites(call: Call): Reply {
  const { guild, self } = guildOf(call);
  const bits = permissionsOf(guild, self);
  const withMetadata = can(bits, 'MANAGE_GUILD');
  if (!withMetadata && !can(bits, 'VIEW_AUDIT_LOG')) throw refusal('missingPermissions');
  dropExpired(call.world, guild);
  return ok(Array.from(guild.invites.values(), (invite) => viewInvite(guild, invite, { withMetadata })));
}

function channelOf(call: Call): Here & { channel: Channel } {
  const channel = call.world.channels.get(idOf(call, 'channel'));
  if (channel?.guildId === undefined) throw refusal('unknownChannel');
  return { ...guildOf({ ...call, params: { guild: channel.guildId } }), channel };
}

function listChannelInvites(call: Call): Reply {
  const here = channelOf(call);
  need(here, 'MANAGE_CHANNELS', here.channel);
  dropExpired(call.world, here.guild);
  const own = [...here.guild.invites.values()].filter(({ channelId }) => channelId === here.channel.id);
  return ok(own.map((invite) => viewInvite(here.guild, invite, { withMetadata: true })));
}

function addInvite(call: Call): Reply {
  const here = channelOf(call);
  const { channel } = here;
  need(here, 'CREATE_INSTANT_INVITE', channel);
  const targets = readTargets(call);
  const invite = createInvite(call.world, here.guild, {
    channelId: channel.id,
    inviter: here.self.user,
    maxAgeSeconds: readLimited(call, 'max_age', longestSeconds) ?? 86_400,
    maxUses: readLimited(call, 'max_uses', mostUses) ?? 0,
    isTemporary: readFlag(call.body, 'temporary') ?? false,
    roleIds: readRoles(call, here),
  });
  if (targets !== undefined) setTargetUsers(call.world, invite, targets);
  return ok(viewInvite(here.guild, invite, { withMetadata: true }));
}

const mostTargetBytes = 1_000_000;

/** A file with one column of ids, with or without a header. An id of no user is refused. */
function readTargets(call: Call): Snowflake[] | undefined {
  const text = readText(call.body, 'target_users_file', mostTargetBytes);
  const ids = text
    ?.split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line, at) => line !== '' && !(at === 0 && line === 'user_id'));
  if (ids === undefined) return undefined;
  if (ids.length === 0 || ids.some((id) => !isSnowflake(id) || !call.world.users.has(id)))
    throw invalidField('target_users_file', 'TARGET_USERS_INVALID', 'The file contains invalid user IDs.');
  return [...new Set(ids)];
}

/** The bot created the invite, or may see all of them. */
function findManaged(call: Call): Invite {
  const { guild, invite } = findInvite(call);
  const { self } = guildOf({ ...call, params: { guild: guild.id } });
  const bits = permissionsOf(guild, self);
  if (invite.inviter !== self.user && !can(bits, 'MANAGE_GUILD') && !can(bits, 'VIEW_AUDIT_LOG'))
    throw refusal('missingPermissions');
  return invite;
}

function readTargetUsers(call: Call): Reply {
  const { targetUserIds = [] } = findManaged(call);
  return {
    status: 200,
    headers: { 'content-type': 'text/csv' },
    body: ['user_id', ...targetUserIds].map((line) => `${line}\n`).join(''),
  };
}

function changeTargetUsers(call: Call): Reply {
  const invite = findManaged(call);
  const targets = readTargets(call);
  if (targets === undefined) throw invalidField('target_users_file', 'BASE_TYPE_REQUIRED', 'This field is required');
  setTargetUsers(call.world, invite, targets);
  return noContent;
}

function readTargetUsersJob(call: Call): Reply {
  const { targetUsersJob: job, targetUserIds = [] } = findManaged(call);
  if (job === undefined) throw refusal('unknownInvite');
  const timeOf = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return ok({
    status: job.status,
    total_users: targetUserIds.length,
    processed_users: job.status === 2 ? targetUserIds.length : 0,
    created_at: timeOf(job.createdAtMs),
    completed_at: timeOf(job.completedAtMs),
    error_message: job.status === 3 ? 'The list could not be processed.' : null,
  });
}

function readLimited(call: Call, name: string, most: number): number | undefined {
  const value = readNumber(call.body, name);
  if (value !== undefined && (value < 0 || value > most))
    throw invalidField(name, 'NUMBER_TYPE_MAX', `int value should be between 0 and ${most}.`);
  return value;
}

/** An invite can carry roles that the bot could grant itself. */
function readRoles(call: Call, here: Here): string[] {
  const roleIds = readIds(call.body, 'role_ids') ?? [];
  if (roleIds.length > 0) need(here, 'MANAGE_ROLES');
  for (const id of roleIds) {
    const role = here.guild.roles.get(id);
    if (role === undefined) throw refusal('unknownRole');
    if (role.managed || !outranksRole(here.guild, here.self, role)) throw refusal('missingPermissions');
    if ((role.permissions & ~permissionsOf(here.guild, here.self)) !== 0n) throw refusal('missingPermissions');
  }
  return roleIds;
}

function findInvite(call: Call): { guild: Guild; invite: Invite } {
  const code = paramOf(call, 'code');
  for (const guild of call.world.guilds.values()) {
    dropExpired(call.world, guild);
    const invite = guild.invites.get(code);
    if (invite !== undefined) return { guild, invite };
  }
  throw refusal('unknownInvite');
}

function readInvite(call: Call): Reply {
  const { guild, invite } = findInvite(call);
  return ok(viewInvite(guild, invite, { withMetadata: false }));
}

function removeInvite(call: Call): Reply {
  const { guild, invite } = findInvite(call);
  const here = guildOf({ ...call, params: { guild: guild.id } });
  const channel: Channel | undefined = guild.channels.get(invite.channelId);
  const bits = permissionsOf(guild, here.self);
  if (!can(bits, 'MANAGE_GUILD') && !can(permissionsOf(guild, here.self, channel), 'MANAGE_CHANNELS'))
    throw refusal('missingPermissions');
  deleteInvite(call.world, guild, invite.code);
  return ok(viewInvite(guild, invite, { withMetadata: true }));
}
