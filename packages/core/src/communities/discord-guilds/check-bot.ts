import {
  type DiscordChannelObject,
  type DiscordMemberObject,
  type DiscordPermission,
  type DiscordRoleObject,
  discordPermissions,
  findDiscordRoleFault,
  highestBotRole,
  type RoleFault,
} from '../../ports/index.ts';
import type { BotConfigError, BotProblem } from './bot-config.ts';

/** Everything about a server that decides whether the bot can work there. */
export interface BotSituation {
  guildId: string;
  bot: DiscordMemberObject;
  roles: readonly DiscordRoleObject[];
  channels: readonly DiscordChannelObject[];
  /** The roles that rules grant. */
  ruleRoleIds: readonly string[];
  /** Names of the channels the bot uses; one of each list is enough. */
  channelNames: readonly (readonly string[])[];
  inviteLink: string | undefined;
}

const everyPermission = Object.keys(discordPermissions).filter(isPermission);
export const neededPermissions = everyPermission.filter((name) => name !== 'Administrator');
const critical: readonly DiscordPermission[] = ['ManageRoles', 'BanMembers'];

/** Finds what prevents the bot from working: permissions, most severe first, then roles, then channels. */
export function checkBot(situation: BotSituation): BotConfigError[] {
  return [...checkPermissions(situation), ...checkRolePlacement(situation), ...checkChannels(situation)];
}

function checkPermissions(situation: BotSituation): BotConfigError[] {
  const bits = permissionsOf(situation);
  return neededPermissions
    .filter((name) => !allows(bits, name))
    .toSorted((a, b) => Number(critical.includes(b)) - Number(critical.includes(a)))
    .map((name) =>
      problem('MISSING_PERMISSION', `Give the bot the permission ${spaced(name)}.`, situation.inviteLink, {
        permission: name,
        critical: critical.includes(name),
      }),
    );
}

function checkRolePlacement({ guildId, bot, roles, ruleRoleIds }: BotSituation): BotConfigError[] {
  const link = `https://discord.com/channels/${guildId}`;
  const scene = { guildId, roles, botRoleIds: bot.roles };
  return [...new Set(ruleRoleIds)].flatMap((roleId): BotConfigError[] => {
    const found = findDiscordRoleFault(scene, roleId);
    const code = found?.fault && roleProblems[found.fault];
    if (found === undefined || code === undefined) return [];
    const { roleName, permissions, advice } = found;
    const details = { roleId, roleName, critical: true, ...(permissions && { permissions }) };
    const botRoleName = highestBotRole(scene)?.name;
    return [problem(code, advice, link, code === 'ROLE_ABOVE_BOT' ? { ...details, botRoleName } : details)];
  });
}

const roleProblems: Partial<Record<RoleFault, BotProblem>> = {
  missing: 'ROLE_MISSING',
  managed: 'ROLE_MANAGED',
  everyone: 'ROLE_EVERYONE',
  'above-bot': 'ROLE_ABOVE_BOT',
  ruling: 'ROLE_RULING',
};

function checkChannels(situation: BotSituation): BotConfigError[] {
  const { guildId, channels, channelNames } = situation;
  return channelNames.flatMap((names): BotConfigError[] => {
    const channel = channels.find((candidate) => names.includes(candidate.name ?? ''));
    const [name = ''] = names;
    if (channel === undefined)
      return [
        problem('CHANNEL_MISSING', `Create a channel named ${name}.`, `https://discord.com/channels/${guildId}`, {
          channel: name,
          critical: false,
        }),
      ];
    const bits = permissionsOf(situation, channel);
    if (allows(bits, 'ViewChannel') && allows(bits, 'SendMessages')) return [];
    const link = `https://discord.com/channels/${guildId}/${channel.id}`;
    const action = `Allow the bot to view the channel ${channel.name} and send messages in it.`;
    return [problem('CHANNEL_CLOSED', action, link, { channel: channel.name, channelId: channel.id, critical: false })];
  });
}

function problem(code: BotProblem, action: string, link: string | undefined, details: unknown): BotConfigError {
  return { code, action, link, details };
}

/**
 * The bot's permissions in the server, or in one of its channels: @everyone first, then its roles, then the bot itself.
 */
export function permissionsOf(
  { guildId, bot, roles }: Pick<BotSituation, 'guildId' | 'bot' | 'roles'>,
  channel?: DiscordChannelObject,
): bigint {
  const held = roles.filter((role) => role.id === guildId || bot.roles.includes(role.id));
  let bits = held.reduce((sum, role) => sum | BigInt(role.permissions), 0n);
  if ((bits & discordPermissions.Administrator) !== 0n) return -1n;
  const overwrites = channel?.permission_overwrites ?? [];
  for (const ids of [[guildId], bot.roles, [bot.user.id]]) {
    const hit = overwrites.filter(({ id }) => ids.includes(id));
    const sum = (side: 'allow' | 'deny') => hit.reduce((total, one) => total | BigInt(one[side]), 0n);
    bits = (bits & ~sum('deny')) | sum('allow');
  }
  return bits;
}

export function allows(bits: bigint, name: DiscordPermission): boolean {
  return (bits & discordPermissions[name]) !== 0n;
}

export function spaced(name: DiscordPermission): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
}

function isPermission(name: string): name is DiscordPermission {
  return name in discordPermissions;
}
