import type { Refusal } from './chat-platform.ts';
import type { DiscordRoleObject } from './discord.ts';
import { discordPermissions } from './discord.ts';
import { powersOf } from './discord-permissions.ts';

/** What decides which roles the bot can grant in a server. */
export interface DiscordRoleScene {
  guildId: string;
  roles: readonly DiscordRoleObject[];
  /** The bot's roles. */
  botRoleIds: readonly string[];
  /** Some roles of the server could not be read, so that one which is not listed may exist. */
  isPartial?: boolean;
}

/** Why the bot cannot write this role, or must not grant it; undefined if nothing prevents it. */
export function findDiscordRoleFault(scene: DiscordRoleScene, roleId: string): Refusal | undefined {
  const { guildId, roles } = scene;
  const role = roles.find(({ id }) => id === roleId);
  if (role === undefined && scene.isPartial) return undefined;
  if (role === undefined)
    return {
      roleId,
      fault: 'missing',
      advice: 'The role is not in the Discord server. Choose another role in the rule.',
    };
  const named = { roleId, roleName: role.name };
  if (roleId === guildId)
    return {
      ...named,
      fault: 'everyone',
      advice: 'Every member has @everyone already, so no one can grant or remove it. Choose another role in the rule.',
    };
  if (role.managed)
    return {
      ...named,
      fault: 'managed',
      advice: `The role "${role.name}" belongs to an integration, so no one can grant or remove it. Choose another role in the rule.`,
    };
  const top = highestBotRole(scene);
  if (top === undefined || role.position >= top.position) {
    const own = top === undefined ? 'a role of the bot' : `the bot's role "${top.name}"`;
    const advice = `Move the role "${role.name}" below ${own}: Server Settings > Roles. A bot can only give roles lower than its own.`;
    return { ...named, fault: 'above-bot', advice };
  }
  const permissions = powersOf(
    role,
    roles.find(({ id }) => id === guildId),
  );
  if (permissions.length === 0) return undefined;
  return { ...named, fault: 'ruling', permissions, advice: describeRulingRole(role.name, permissions, 'Discord') };
}

/** Why no role at all can be written in a server, if so. */
export function findDiscordBotFault({ guildId, roles, botRoleIds }: DiscordRoleScene): Refusal | undefined {
  const held = roles.filter(({ id }) => id === guildId || botRoleIds.includes(id));
  const bits = held.reduce((sum, role) => sum | BigInt(role.permissions), 0n);
  if ((bits & (discordPermissions.ManageRoles | discordPermissions.Administrator)) !== 0n) return undefined;
  const advice = 'Give the bot the permission Manage Roles: Server Settings > Roles.';
  return { scope: 'community', fault: 'permission', advice };
}

/** Explains why a role is not granted, and what can be done about it. */
export function describeRulingRole(name: string, permissions: readonly string[], platform: string): string {
  return `The role "${name}" has ${permissions.join(', ')}, so people must give it in ${platform} themselves. Use another role, or remove these permissions from it.`;
}

/** The bot's highest role, which determines the roles below it. */
export function highestBotRole({ guildId, roles, botRoleIds }: DiscordRoleScene): DiscordRoleObject | undefined {
  const own = roles.filter(({ id }) => id !== guildId && botRoleIds.includes(id));
  return own.toSorted((a, b) => b.position - a.position)[0];
}
