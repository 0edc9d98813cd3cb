import { botOf, type Call, type Define, guildOf, type Here, idOf, memberOf, need } from '../call.ts';
import { invalidField, refusal } from '../errors.ts';
import { readIds, readQueryNumber, readText } from '../fields.ts';
import { intents } from '../intents.ts';
import { outranksMember, outranksRole } from '../permissions.ts';
import { noContent, ok, type Reply } from '../reply.ts';
import { noteAudit } from '../state/guilds.ts';
import { membersAfter, membersNamed, notifyMember, removeMember } from '../state/members.ts';
import type { Member, Snowflake, User } from '../state/types.ts';
import { viewMember, viewUser } from '../views.ts';

const updateAction = 24;
const rolesAction = 25;
const kickAction = 20;

export function defineMembers(define: Define): void {
  define('GET /guilds/:guild/members', 'member-list', listMembers);
  define('GET /guilds/:guild/members/search', 'member-search', searchMembers);
  define('GET /guilds/:guild/members/:user', 'member-read', readMember);
  define('PATCH /guilds/:guild/members/:user', 'member-write', patchMember);
  define('DELETE /guilds/:guild/members/:user', 'member-remove', kickMember);
  define('GET /guilds/:guild/bans', 'other', listBans);
  define('GET /guilds/:guild/bans/:user', 'other', readBan);
  define('PUT /guilds/:guild/members/:user/roles/:role', 'member-roles', (call) => writeRole(call, 'add'));
  define('DELETE /guilds/:guild/members/:user/roles/:role', 'member-roles', (call) => writeRole(call, 'remove'));
}

function listMembers(call: Call): Reply {
  const { guild } = guildOf(call);
  if ((botOf(call).privilegedIntents & intents.members) === 0) throw refusal('missingAccess');
  const limit = readQueryNumber(call.query, 'limit', { least: 1, most: 1000, otherwise: 1 });
  return ok(membersAfter(guild, call.query.get('after') ?? '0', limit).map((member) => present(call, member)));
}

function searchMembers(call: Call): Reply {
  const { guild } = guildOf(call);
  const limit = readQueryNumber(call.query, 'limit', { least: 1, most: 1000, otherwise: 1 });
  const query = call.query.get('query');
  if (!query) throw invalidField('query', 'BASE_TYPE_REQUIRED', 'This field is required');
  return ok(membersNamed(guild, query, limit).map((member) => present(call, member)));
}

function readMember(call: Call): Reply {
  return ok(present(call, memberOf(call, guildOf(call).guild)));
}

/** Observed on Discord: the list of roles is returned empty, indistinguishable from a real one. */
function present(call: Call, member: Member) {
  return viewMember(member, call.misbehaviours.strike('empty-roles', call.label) ? [] : member.roles);
}

function patchMember(call: Call): Reply {
  const here = guildOf(call);
  const member = memberOf(call, here.guild);
  const nick = 'nick' in call.body ? (readText(call.body, 'nick', 32) ?? null) : undefined;
  const mutedUntil =
    'communication_disabled_until' in call.body
      ? (readText(call.body, 'communication_disabled_until') ?? null)
      : undefined;
  const wanted = readIds(call.body, 'roles');
  if (nick !== undefined) needRank(here, member, 'MANAGE_NICKNAMES');
  if (mutedUntil !== undefined) needRank(here, member, 'MODERATE_MEMBERS');
  const roles = wanted === undefined ? member.roles : checkRoles(here, member, wanted);

  const changesRoles = roles.size !== member.roles.size || without(roles, member.roles).length > 0;
  const changesRest =
    (nick !== undefined && nick !== member.nick) || (mutedUntil !== undefined && mutedUntil !== member.mutedUntil);
  if (!changesRoles && !changesRest) {
    call.changedNothing();
    return ok(viewMember(member));
  }
  if (call.misbehaviours.strike('lost-write', call.label)) {
    call.lostWrite();
    return ok(viewMember(member, roles));
  }
  if (nick !== undefined) member.nick = nick;
  if (mutedUntil !== undefined) member.mutedUntil = mutedUntil;
  if (changesRest) note(call, here, member, updateAction, []);
  if (changesRoles) setRoles(call, here, member, roles);
  else notifyMember(call.world, here.guild, member, 'GUILD_MEMBER_UPDATE');
  return ok(viewMember(member));
}

/** Returns the new roles, if the bot may make all of the changes. */
function checkRoles(here: Here, member: Member, wanted: readonly Snowflake[]): Set<Snowflake> {
  need(here, 'MANAGE_ROLES');
  const roles = new Set(wanted);
  for (const roleId of without(roles, member.roles)) checkRole(here, roleId);
  for (const roleId of without(member.roles, roles)) checkRole(here, roleId);
  return roles;
}

function without(ids: Iterable<Snowflake>, others: ReadonlySet<Snowflake>): Snowflake[] {
  return [...ids].filter((id) => !others.has(id));
}

function checkRole({ guild, self }: Here, roleId: Snowflake): void {
  const role = guild.roles.get(roleId);
  if (role === undefined) throw refusal('unknownRole');
  if (role.id === guild.id) throw refusal('invalidRole');
  if (role.managed || !outranksRole(guild, self, role)) throw refusal('missingPermissions');
}

function writeRole(call: Call, change: 'add' | 'remove'): Reply {
  const here = guildOf(call);
  const member = memberOf(call, here.guild);
  const roleId = idOf(call, 'role');
  need(here, 'MANAGE_ROLES');
  checkRole(here, roleId);
  if (member.roles.has(roleId) === (change === 'add')) {
    call.changedNothing();
    return noContent;
  }
  if (call.misbehaviours.strike('lost-write', call.label)) {
    call.lostWrite();
    return noContent;
  }
  const roles = new Set(member.roles);
  if (change === 'add') roles.add(roleId);
  else roles.delete(roleId);
  setRoles(call, here, member, roles);
  return noContent;
}

function setRoles(call: Call, here: Here, member: Member, roles: Set<Snowflake>): void {
  const { guild } = here;
  const named = (ids: Iterable<Snowflake>) => Array.from(ids, (id) => ({ id, name: guild.roles.get(id)?.name ?? '' }));
  const added = without(roles, member.roles);
  const removed = without(member.roles, roles);
  const changes = [
    ...(added.length === 0 ? [] : [{ key: '$add', new_value: named(added) }]),
    ...(removed.length === 0 ? [] : [{ key: '$remove', new_value: named(removed) }]),
  ];
  member.roles = roles;
  // Discord lets a bot grant a role to a pending member, who then skips the screening.
  if (added.length > 0) member.isPending = false;
  note(call, here, member, rolesAction, changes);
  notifyMember(call.world, guild, member, 'GUILD_MEMBER_UPDATE');
}

function kickMember(call: Call): Reply {
  const here = guildOf(call);
  const member = memberOf(call, here.guild);
  needRank(here, member, 'KICK_MEMBERS');
  if (call.misbehaviours.strike('lost-write', call.label)) {
    call.lostWrite();
    return noContent;
  }
  note(call, here, member, kickAction, []);
  removeMember(call.world, here.guild, member.user.id);
  return noContent;
}

function listBans(call: Call): Reply {
  const here = guildOf(call);
  need(here, 'BAN_MEMBERS');
  const limit = readQueryNumber(call.query, 'limit', { least: 1, most: 1000, otherwise: 1000 });
  return ok([...here.guild.bans.values()].slice(0, limit).map(viewBan));
}

function readBan(call: Call): Reply {
  const here = guildOf(call);
  need(here, 'BAN_MEMBERS');
  const ban = here.guild.bans.get(idOf(call, 'user'));
  if (ban === undefined) throw refusal('unknownBan');
  return ok(viewBan(ban));
}

function viewBan({ user, reason }: { user: User; reason: string | null }) {
  return { reason, user: viewUser(user) };
}

function needRank(here: Here, member: Member, permission: 'KICK_MEMBERS' | 'MANAGE_NICKNAMES' | 'MODERATE_MEMBERS') {
  need(here, permission);
  if (member !== here.self && !outranksMember(here.guild, here.self, member)) throw refusal('missingPermissions');
}

function note(call: Call, { guild, self }: Here, member: Member, action: number, changes: unknown[]): void {
  noteAudit(call.world, guild, {
    action,
    userId: self.user.id,
    targetId: member.user.id,
    changes,
    ...(call.reason === undefined ? {} : { reason: call.reason }),
  });
}
