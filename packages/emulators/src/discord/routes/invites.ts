import { type Call, type Define, guildOf, type Here, idOf, need, paramOf } from '../call.ts';
import { invalidField, refusal } from '../errors.ts';
import { readFlag, readIds, readNumber } from '../fields.ts';
import { can, outranksRole, permissionsOf } from '../permissions.ts';
import { ok, type Reply } from '../reply.ts';
import { createInvite, deleteInvite, dropExpired } from '../state/invites.ts';
import type { Channel, Guild, Invite } from '../state/types.ts';
import { viewInvite } from '../views.ts';

const longestSeconds = 604_800;
const mostUses = 100;

export function defineInvites(define: Define): void {
  define('GET /guilds/:guild/invites', 'other', listInvites);
  define('POST /channels/:channel/invites', 'invite-write', addInvite);
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

function addInvite(call: Call): Reply {
  const channel = call.world.channels.get(idOf(call, 'channel'));
  if (channel?.guildId === undefined) throw refusal('unknownChannel');
  const here = guildOf({ ...call, params: { guild: channel.guildId } });
  need(here, 'CREATE_INSTANT_INVITE', channel);
  const invite = createInvite(call.world, here.guild, {
    channelId: channel.id,
    inviter: here.self.user,
    maxAgeSeconds: readLimited(call, 'max_age', longestSeconds) ?? 86_400,
    maxUses: readLimited(call, 'max_uses', mostUses) ?? 0,
    isTemporary: readFlag(call.body, 'temporary') ?? false,
    roleIds: readRoles(call, here),
  });
  return ok(viewInvite(here.guild, invite, { withMetadata: true }));
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
