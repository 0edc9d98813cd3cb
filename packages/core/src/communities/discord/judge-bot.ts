import {
  type DiscordChannelObject,
  type DiscordMemberObject,
  type DiscordPermission,
  type DiscordRoleObject,
  discordPermissions,
  powersOf,
} from '../../ports/index.ts';
import { describeRulingRole } from '../communities/index.ts';
import type { BotConfigError, BotProblem } from './bot-config.ts';

/** Everything about a server that decides whether the bot can do its work there. */
export interface BotSituation {
  guildId: string;
  bot: DiscordMemberObject;
  roles: readonly DiscordRoleObject[];
  channels: readonly DiscordChannelObject[];
  /** The roles that rules give. */
  ruleRoleIds: readonly string[];
  /** Names of the channels the bot uses; any one of each list will do. */
  channelNames: readonly (readonly string[])[];
  inviteLink: string | undefined;
}

const everyPermission = Object.keys(discordPermissions).filter(isPermission);
export const neededPermissions = everyPermission.filter((name) => name !== 'Administrator');
const critical: readonly DiscordPermission[] = ['ManageRoles', 'BanMembers'];

/** Finds what keeps the bot from its work: permissions, the worst first, then roles, then channels. */
export function judgeBot(situation: BotSituation): BotConfigError[] {
  return [...judgePermissions(situation), ...judgeRoles(situation), ...judgeChannels(situation)];
}

function judgePermissions(situation: BotSituation): BotConfigError[] {
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

function judgeRoles({ guildId, bot, roles, ruleRoleIds }: BotSituation): BotConfigError[] {
  const link = `https://discord.com/channels/${guildId}`;
  const everyone = roles.find((role) => role.id === guildId);
  const own = roles.filter((role) => bot.roles.includes(role.id)).toSorted((a, b) => b.position - a.position)[0];
  return [...new Set(ruleRoleIds)].flatMap((roleId): BotConfigError[] => {
    const role = roles.find((candidate) => candidate.id === roleId);
    const details = { roleId, roleName: role?.name, critical: true };
    if (role === undefined)
      return [problem('ROLE_MISSING', 'Choose another role in the rule: this one was deleted.', link, details)];
    if (role.managed)
      return [
        problem(
          'ROLE_MANAGED',
          `Use another role in the rule: "${role.name}" belongs to an integration.`,
          link,
          details,
        ),
      ];
    const powers = powersOf(role, everyone);
    if (powers.length > 0)
      return [
        problem('ROLE_RULING', describeRulingRole({ ...role, permissions: powers }, 'Discord'), link, {
          ...details,
          permissions: powers,
        }),
      ];
    if (own !== undefined && role.position < own.position) return [];
    const action = `Move the role "${role.name}" below ${own === undefined ? 'a role of the bot' : `the role "${own.name}"`}: Server Settings > Roles.`;
    return [problem('ROLE_ABOVE_BOT', action, link, { ...details, botRoleName: own?.name })];
  });
}

function judgeChannels(situation: BotSituation): BotConfigError[] {
  const { guildId, channels, channelNames } = situation;
  return channelNames.flatMap((names): BotConfigError[] => {
    const channel = channels.find((candidate) => names.includes(candidate.name ?? ''));
    const [name = ''] = names;
    if (channel === undefined)
      return [
        problem('CHANNEL_MISSING', `Make a channel called ${name}.`, `https://discord.com/channels/${guildId}`, {
          channel: name,
          critical: false,
        }),
      ];
    const bits = permissionsOf(situation, channel);
    if (allows(bits, 'ViewChannel') && allows(bits, 'SendMessages')) return [];
    const link = `https://discord.com/channels/${guildId}/${channel.id}`;
    const action = `Let the bot see the channel ${channel.name} and write in it.`;
    return [problem('CHANNEL_CLOSED', action, link, { channel: channel.name, channelId: channel.id, critical: false })];
  });
}

function problem(code: BotProblem, action: string, link: string | undefined, details: unknown): BotConfigError {
  return { code, action, link, details };
}

/** What the bot may do in the server, or in one channel of it: @everyone first, then its roles, then itself. */
function permissionsOf({ guildId, bot, roles }: BotSituation, channel?: DiscordChannelObject): bigint {
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

function allows(bits: bigint, name: DiscordPermission): boolean {
  return (bits & discordPermissions[name]) !== 0n;
}

function spaced(name: DiscordPermission): string {
  return name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
}

function isPermission(name: string): name is DiscordPermission {
  return name in discordPermissions;
}
