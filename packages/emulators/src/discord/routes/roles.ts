import { type Call, type Define, guildOf, type Here, idOf, need } from '../call.ts';
import { invalidField, refusal } from '../errors.ts';
import { isFields, readBits, readFlag, readNumber, readText } from '../fields.ts';
import { highestRole, outranksRole, permissionsOf } from '../permissions.ts';
import { noContent, ok, type Reply } from '../reply.ts';
import { isSnowflake } from '../snowflake.ts';
import { noteAudit } from '../state/guilds.ts';
import { deleteRole, insertRole, moveRoles, notifyRole } from '../state/roles.ts';
import type { Role, Snowflake } from '../state/types.ts';
import { viewRole, viewRoles } from '../views.ts';

const mostRoles = 250;
const createAction = 30;
const updateAction = 31;
const deleteAction = 32;

export function defineRoles(define: Define): void {
  define('GET /guilds/:guild/roles', 'other', listRoles);
  define('GET /guilds/:guild/roles/member-counts', 'other', countMembers);
  define('GET /guilds/:guild/roles/:role', 'other', (call) => ok(viewRole(roleOf(call, guildOf(call)))));
  define('POST /guilds/:guild/roles', 'role-write', createRole);
  define('PATCH /guilds/:guild/roles', 'role-write', orderRoles);
  define('PATCH /guilds/:guild/roles/:role', 'role-write', editRole);
  define('DELETE /guilds/:guild/roles/:role', 'role-write', removeRole);
}

function listRoles(call: Call): Reply {
  const { guild } = guildOf(call);
  return ok(call.misbehaviours.strike('empty-roles', call.label) ? [] : viewRoles(guild));
}

/** How many members have each role. @everyone is left out. */
function countMembers(call: Call): Reply {
  const { guild } = guildOf(call);
  const counts = new Map([...guild.roles.keys()].filter((id) => id !== guild.id).map((id) => [id, 0]));
  for (const { roles } of guild.members.values()) for (const id of roles) counts.set(id, (counts.get(id) ?? 0) + 1);
  return ok(Object.fromEntries(counts));
}

function roleOf(call: Call, { guild }: Here): Role {
  const role = guild.roles.get(idOf(call, 'role'));
  if (role === undefined) throw refusal('unknownRole');
  return role;
}

type RoleFields = Partial<Pick<Role, 'name' | 'color' | 'hoist' | 'mentionable' | 'permissions'>>;

function readFields(call: Call, here: Here): RoleFields {
  const { body } = call;
  const permissions = readBits(body, 'permissions');
  const own = permissionsOf(here.guild, here.self);
  // A bot cannot grant more permissions than it has.
  if (permissions !== undefined && (permissions & ~own) !== 0n) throw refusal('missingPermissions');
  const fields = {
    name: readText(body, 'name', 100),
    color: readNumber(body, 'color') ?? (isFields(body.colors) ? readNumber(body.colors, 'primary_color') : undefined),
    hoist: readFlag(body, 'hoist'),
    mentionable: readFlag(body, 'mentionable'),
    permissions,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function createRole(call: Call): Reply {
  const here = guildOf(call);
  need(here, 'MANAGE_ROLES');
  // @everyone does not count.
  if (here.guild.roles.size > mostRoles) throw refusal('tooManyRoles');
  const role = insertRole(call.world, here.guild, readFields(call, here));
  note(call, here, role, createAction);
  return ok(viewRole(role));
}

function editRole(call: Call): Reply {
  const here = guildOf(call);
  const role = roleOf(call, here);
  need(here, 'MANAGE_ROLES');
  if (!outranksRole(here.guild, here.self, role)) throw refusal('missingPermissions');
  const before = JSON.stringify(viewRole(role));
  Object.assign(role, readFields(call, here));
  if (JSON.stringify(viewRole(role)) === before) call.changedNothing();
  else {
    note(call, here, role, updateAction);
    notifyRole(call.world, here.guild, role, 'GUILD_ROLE_UPDATE');
  }
  return ok(viewRole(role));
}

function removeRole(call: Call): Reply {
  const here = guildOf(call);
  const role = roleOf(call, here);
  need(here, 'MANAGE_ROLES');
  if (role.id === here.guild.id || role.managed) throw refusal('invalidRole');
  if (!outranksRole(here.guild, here.self, role)) throw refusal('missingPermissions');
  deleteRole(call.world, here.guild, role);
  note(call, here, role, deleteAction);
  return noContent;
}

function orderRoles(call: Call): Reply {
  const here = guildOf(call);
  need(here, 'MANAGE_ROLES');
  const wanted = new Map<Snowflake, number>();
  for (const [index, entry] of (call.list ?? []).entries()) {
    const id = isFields(entry) ? entry.id : undefined;
    if (!isFields(entry) || !isSnowflake(id)) {
      throw invalidField(`${index}.id`, 'BASE_TYPE_REQUIRED', 'This field is required');
    }
    const position = readNumber(entry, 'position');
    const role = here.guild.roles.get(id);
    if (role === undefined) throw refusal('unknownRole');
    // Clients send the whole list; a role that does not move needs no permission.
    if (position === undefined || position === role.position) continue;
    checkMove(here, role, position);
    wanted.set(id, position);
  }
  moveRoles(call.world, here.guild, wanted);
  return ok(viewRoles(here.guild));
}

/** A bot can move roles below its own, to positions below its own. */
function checkMove({ guild, self }: Here, role: Role, position: number): void {
  if (role.id === guild.id) throw refusal('invalidRole');
  if (guild.ownerId === self.user.id) return;
  const own = highestRole(guild, self)?.position ?? 0;
  if (!outranksRole(guild, self, role) || position >= own) throw refusal('missingPermissions');
}

function note(call: Call, { guild, self }: Here, role: Role, action: number): void {
  noteAudit(call.world, guild, {
    action,
    userId: self.user.id,
    targetId: role.id,
    changes: [],
    ...(call.reason === undefined ? {} : { reason: call.reason }),
  });
}
