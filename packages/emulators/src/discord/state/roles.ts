import { intents } from '../intents.ts';
import { viewRole } from '../views.ts';
import type { Guild, Role, Snowflake } from './types.ts';
import type { World } from './world.ts';

export type NewRole = Partial<Omit<Role, 'botId'>>;

/** Adds a new role at the bottom, right above @everyone, and moves all others up by one. */
export function insertRole(world: World, guild: Guild, fields: NewRole): Role {
  for (const other of guild.roles.values()) if (other.position > 0) other.position += 1;
  const role: Role = {
    id: world.nextId(),
    name: 'new role',
    color: 0,
    hoist: false,
    mentionable: false,
    permissions: guild.roles.get(guild.id)?.permissions ?? 0n,
    managed: false,
    ...fields,
    position: 1,
  };
  guild.roles.set(role.id, role);
  notifyRole(world, guild, role, 'GUILD_ROLE_CREATE');
  return role;
}

export function notifyRole(
  world: World,
  guild: Guild,
  role: Role,
  type: 'GUILD_ROLE_CREATE' | 'GUILD_ROLE_UPDATE',
): void {
  const data = () => ({ guild_id: guild.id, role: viewRole(role) });
  world.dispatch({ type, intent: intents.guilds, guildId: guild.id, data });
}

export function deleteRole(world: World, guild: Guild, role: Role): void {
  guild.roles.delete(role.id);
  for (const member of guild.members.values()) member.roles.delete(role.id);
  for (const other of guild.roles.values()) if (other.position > role.position) other.position -= 1;
  const data = () => ({ guild_id: guild.id, role_id: role.id });
  world.dispatch({ type: 'GUILD_ROLE_DELETE', intent: intents.guilds, guildId: guild.id, data });
}

/** Moves roles to positions, and keeps the order of the rest. */
export function moveRoles(world: World, guild: Guild, wanted: ReadonlyMap<Snowflake, number>): void {
  const rest = [...guild.roles.values()]
    .filter(({ id }) => id !== guild.id && !wanted.has(id))
    .sort((a, b) => a.position - b.position);
  const moved = [...wanted].sort(([, a], [, b]) => a - b);
  for (const [id, position] of moved) {
    const role = guild.roles.get(id);
    if (role) rest.splice(Math.max(0, position - 1), 0, role);
  }
  for (const [index, role] of rest.entries()) {
    if (role.position === index + 1) continue;
    role.position = index + 1;
    notifyRole(world, guild, role, 'GUILD_ROLE_UPDATE');
  }
}
