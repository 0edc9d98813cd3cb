import { compareSnowflakes } from './snowflake.ts';
import type { Channel, Guild, Member, Role } from './state/types.ts';

export const permissionBits = {
  CREATE_INSTANT_INVITE: 1n << 0n,
  KICK_MEMBERS: 1n << 1n,
  BAN_MEMBERS: 1n << 2n,
  ADMINISTRATOR: 1n << 3n,
  MANAGE_CHANNELS: 1n << 4n,
  MANAGE_GUILD: 1n << 5n,
  VIEW_AUDIT_LOG: 1n << 7n,
  VIEW_CHANNEL: 1n << 10n,
  SEND_MESSAGES: 1n << 11n,
  MANAGE_MESSAGES: 1n << 13n,
  EMBED_LINKS: 1n << 14n,
  ATTACH_FILES: 1n << 15n,
  READ_MESSAGE_HISTORY: 1n << 16n,
  MANAGE_NICKNAMES: 1n << 27n,
  MANAGE_ROLES: 1n << 28n,
  MANAGE_WEBHOOKS: 1n << 29n,
  USE_APPLICATION_COMMANDS: 1n << 31n,
  MODERATE_MEMBERS: 1n << 40n,
} as const;

export type PermissionName = keyof typeof permissionBits;
/** Bits, or their names. */
export type Permissions = bigint | readonly PermissionName[];

export const allPermissions = (1n << 50n) - 1n;

export function bitsOf(permissions: Permissions): bigint {
  if (typeof permissions === 'bigint') return permissions;
  return permissions.reduce((bits, name) => bits | permissionBits[name], 0n);
}

export const everyonesPermissions = bitsOf([
  'CREATE_INSTANT_INVITE',
  'VIEW_CHANNEL',
  'SEND_MESSAGES',
  'EMBED_LINKS',
  'ATTACH_FILES',
  'READ_MESSAGE_HISTORY',
  'USE_APPLICATION_COMMANDS',
]);

/** Returns a member's permissions in the guild, or in one of its channels. */
export function permissionsOf(guild: Guild, member: Member, channel?: Channel): bigint {
  if (guild.ownerId === member.user.id) return allPermissions;
  let bits = guild.roles.get(guild.id)?.permissions ?? 0n;
  for (const roleId of member.roles) bits |= guild.roles.get(roleId)?.permissions ?? 0n;
  if ((bits & permissionBits.ADMINISTRATOR) !== 0n) return allPermissions;
  return channel === undefined ? bits : withOverwrites(bits, guild, member, channel);
}

/** Overwrites of @everyone first, then those of all roles together, then the member's own. */
function withOverwrites(base: bigint, guild: Guild, member: Member, { overwrites }: Channel): bigint {
  let bits = base;
  const everyone = overwrites.get(guild.id);
  if (everyone) bits = (bits & ~everyone.deny) | everyone.allow;
  let allow = 0n;
  let deny = 0n;
  for (const roleId of member.roles) {
    const overwrite = overwrites.get(roleId);
    allow |= overwrite?.allow ?? 0n;
    deny |= overwrite?.deny ?? 0n;
  }
  bits = (bits & ~deny) | allow;
  const own = overwrites.get(member.user.id);
  if (own) bits = (bits & ~own.deny) | own.allow;
  // A member who cannot see a channel has no permissions in it.
  return (bits & permissionBits.VIEW_CHANNEL) === 0n ? 0n : bits;
}

export function can(bits: bigint, name: PermissionName): boolean {
  return (bits & permissionBits[name]) !== 0n;
}

/** Returns true if the first role is above the second. At the same position the older role is higher. */
export function standsAbove(first: Role, second: Role): boolean {
  if (first.position !== second.position) return first.position > second.position;
  return compareSnowflakes(first.id, second.id) < 0;
}

export function highestRole(guild: Guild, member: Member): Role | undefined {
  let highest = guild.roles.get(guild.id);
  for (const roleId of member.roles) {
    const role = guild.roles.get(roleId);
    if (role && (highest === undefined || standsAbove(role, highest))) highest = role;
  }
  return highest;
}

/** Returns true if a member's rank allows changing this role. The owner is above all. */
export function outranksRole(guild: Guild, member: Member, role: Role): boolean {
  if (guild.ownerId === member.user.id) return true;
  const highest = highestRole(guild, member);
  return highest !== undefined && highest !== role && standsAbove(highest, role);
}

/** Returns true if a member's rank allows kicking or renaming another. No member outranks the owner. */
export function outranksMember(guild: Guild, member: Member, other: Member): boolean {
  if (guild.ownerId === other.user.id) return false;
  const highest = highestRole(guild, other);
  return highest === undefined || outranksRole(guild, member, highest);
}
