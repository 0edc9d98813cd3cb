import { record, T, text, type ValueOf } from '@latchkey/kernel';
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
import type { Context } from '../../shared/context.ts';
import { selectRules } from '../rule-records/index.ts';
import { askDiscord, guildOf } from './reads.ts';

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

/** What API clients expect the bot to have; it asks for fewer itself. */
export const neededPermissions: readonly DiscordPermission[] = [
  'BanMembers',
  'ManageChannels',
  'ViewChannel',
  'SendMessages',
  'EmbedLinks',
  'ManageRoles',
];

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

/** The channels in which the bot serves members and admins. The names of older installations count too. */
export const channelNames = [
  ['latchkey-config', 'collabland-config'],
  ['latchkey-join', 'collabland-join'],
] as const;

export async function checkBotConfig(
  ctx: Pick<Context, 'db' | 'discord' | 'settings'>,
  { communityId: id }: { communityId: string },
): Promise<BotConfigValidationResponse> {
  const { communityId, guildId } = await guildOf(ctx, id);
  const rules = await selectRules(ctx.db.system, communityId);
  const inviteLink = inviteLinkOf(ctx.settings.discordClientId, guildId);
  return askDiscord(ctx, async (discord) => {
    const bot = await discord.readBot(guildId);
    if (bot === undefined) {
      const action = 'Invite the bot into the server.';
      return answer([{ code: 'BOT_NOT_IN_SERVER', action, link: inviteLink, details: { critical: true } }]);
    }
    const [roles, channels] = await Promise.all([discord.readRoles(guildId), discord.readChannels(guildId)]);
    const ruleRoleIds = rules.map((rule) => rule.role_id);
    return answer(checkBot({ guildId, bot, roles, channels, ruleRoleIds, channelNames, inviteLink }));
  });
}

function answer(errors: BotConfigError[]): BotConfigValidationResponse {
  if (errors.length === 0) return { status: 'valid', errors };
  return { status: errors.some(isCritical) ? 'invalid' : 'incomplete', errors };
}

function isCritical({ details }: BotConfigError): boolean {
  return (details as { critical?: boolean } | undefined)?.critical === true;
}

/** The link by which an admin adds the bot, with exactly the permissions it needs. */
export function inviteLinkOf(clientId: string | undefined, guildId: string): string | undefined {
  if (clientId === undefined) return undefined;
  const permissions = neededPermissions.reduce((sum, name) => sum | discordPermissions[name], 0n);
  const query = new URLSearchParams({
    client_id: clientId,
    scope: 'bot applications.commands',
    permissions: String(permissions),
    guild_id: guildId,
  });
  return `https://discord.com/oauth2/authorize?${query}`;
}

const BotConfigError = record('BotConfigError', 'A problem that keeps the bot from working.', {
  code: T.Optional(text('One of the stable codes in docs/discord.md.')),
  action: T.Optional(text('What to do about it, in a sentence.')),
  link: T.Optional(text('Where to do it.')),
  details: T.Optional(
    T.Any({ description: 'The permission, role or channel it is about, and whether it is critical.' }),
  ),
});

type BotConfigError = ValueOf<typeof BotConfigError>;

export const BotConfigValidationResponse = record(
  'BotConfigValidationResponse',
  'The status of the bot in a Discord server.',
  {
    status: text('valid; incomplete if something is missing; invalid if roles cannot be granted.'),
    errors: T.Array(BotConfigError, { description: 'Everything that was found.', maxItems: 1000 }),
  },
);

export type BotConfigValidationResponse = ValueOf<typeof BotConfigValidationResponse>;

/** Problems that the bot can have in a server. */
export const botProblems = {
  BOT_NOT_IN_SERVER: 'The bot is not in the server.',
  MISSING_PERMISSION: 'The bot lacks a permission.',
  ROLE_ABOVE_BOT: 'A role used by a rule is above the bot’s highest role.',
  ROLE_MANAGED: 'A role used by a rule belongs to an integration.',
  ROLE_RULING: 'A role used by a rule has privileged permissions, so it is not granted.',
  ROLE_EVERYONE: 'A rule uses @everyone, which cannot be granted or removed.',
  ROLE_MISSING: 'A role used by a rule no longer exists in the server.',
  CHANNEL_MISSING: 'A channel that the bot uses is missing.',
  CHANNEL_CLOSED: 'The bot cannot see or write in a channel that it uses.',
} as const;

export type BotProblem = keyof typeof botProblems;
