import type { Context } from '../../context.ts';
import {
  type DiscordApi,
  type DiscordChannelObject,
  type DiscordMemberObject,
  type DiscordRoleObject,
  findDiscordRoleFault,
  highestBotRole,
} from '../../ports/index.ts';
import type { CommunityRow } from '../communities/index.ts';
import { allows, channelNames, permissionsOf, spaced } from '../discord/index.ts';
import { discordInvite, isUsedPermission, type UsedPermission, usedPermissions } from './invite-links.ts';
import type { SetupCheck } from './setup-check.ts';

interface Scene {
  guildId: string;
  bot: DiscordMemberObject;
  roles: readonly DiscordRoleObject[];
  channels: readonly DiscordChannelObject[];
}

const present = { id: 'bot', subject: 'bot', title: 'Bot in the server' } as const;
const whyPresent = 'The bot reads members and gives roles from inside the server.';

/** Everything that the bot needs in a Discord server, as Discord shows it now. */
export async function checkDiscord(
  ctx: Pick<Context, 'settings'>,
  discord: DiscordApi,
  { community_id: guildId }: CommunityRow,
  ruleRoleIds: readonly string[],
): Promise<SetupCheck[]> {
  const bot = await discord.readBot(guildId);
  if (bot === undefined) {
    const remedy = 'Add the bot to the server with the invite link.';
    const link = discordInvite(ctx, guildId);
    return [{ ...present, state: 'broken', reason: whyPresent, remedy, ...(link !== undefined && { link }) }];
  }
  const [roles, channels] = await Promise.all([discord.readRoles(guildId), discord.readChannels(guildId)]);
  const scene = { guildId, bot, roles, channels };
  return [
    { ...present, state: 'ok', reason: whyPresent },
    ...checkPermissions(scene),
    ...checkRoles(scene, ruleRoleIds),
    ...channelNames.map((names, index) => checkChannel(scene, names, channelReasons[index] ?? '')),
  ];
}

function checkPermissions(scene: Scene): SetupCheck[] {
  const bits = permissionsOf(scene);
  const own = highestBotRole({ ...scene, botRoleIds: scene.bot.roles });
  return Object.keys(usedPermissions)
    .filter(isUsedPermission)
    .map((name): SetupCheck => {
      const check = {
        id: `permission.${name}`,
        subject: 'permission' as const,
        title: spaced(name),
        reason: usedPermissions[name],
      };
      if (allows(bits, name)) return { ...check, state: 'ok' };
      const role = own === undefined ? 'a role of the bot' : `the role “${own.name}”`;
      return {
        ...check,
        state: isNeeded(name) ? 'broken' : 'advised',
        remedy: `In Discord, open Server Settings > Roles, choose ${role}, and switch on ${spaced(name)}.`,
        link: serverLink(scene),
      };
    });
}

/** Without it no role is given at all; the others are for messages. */
function isNeeded(name: UsedPermission): boolean {
  return name === 'ManageRoles';
}

function checkRoles(scene: Scene, ruleRoleIds: readonly string[]): SetupCheck[] {
  const wanted = [...new Set(ruleRoleIds)];
  return wanted.length === 0 ? [checkOrder(scene)] : wanted.map((roleId) => checkRole(scene, roleId));
}

/** Before there are rules: whether the bot stands above any role at all that could be given. */
function checkOrder(scene: Scene): SetupCheck {
  const { guildId, bot, roles } = scene;
  const roleScene = { guildId, roles, botRoleIds: bot.roles };
  const top = highestBotRole(roleScene);
  const others = roles.filter(({ id, managed }) => id !== guildId && !managed);
  const below = others.filter(({ position }) => position < (top?.position ?? 0));
  const isFine = others.length === 0 || below.length > 0;
  const name = top?.name ?? 'of the bot';
  return {
    id: 'role-order',
    subject: 'role',
    state: isFine ? 'ok' : 'advised',
    title: 'Role order',
    reason: `The bot gives only roles below its own: ${below.length} of ${others.length} here.`,
    ...positionsOf(top),
    ...(!isFine && {
      remedy: `In Discord, open Server Settings > Roles and drag “${name}” above the roles that it should give. New roles that you create here are below it already.`,
      link: serverLink(scene),
    }),
  };
}

function checkRole(scene: Scene, roleId: string): SetupCheck {
  const { guildId, bot, roles } = scene;
  const roleScene = { guildId, roles, botRoleIds: bot.roles };
  const fault = findDiscordRoleFault(roleScene, roleId);
  const role = roles.find(({ id }) => id === roleId);
  return {
    id: `role.${roleId}`,
    subject: 'role',
    state: fault === undefined ? 'ok' : 'broken',
    title: role === undefined ? 'A role that was deleted' : `Role “${role.name}”`,
    reason: 'A rule gives this role, so it must be below the bot’s own role.',
    roleId,
    ...(role !== undefined && { roleName: role.name, rolePosition: role.position }),
    ...positionsOf(highestBotRole(roleScene)),
    ...(fault !== undefined && { remedy: fault.advice, link: serverLink(scene) }),
  };
}

function positionsOf(top: DiscordRoleObject | undefined) {
  return top === undefined ? {} : { botRoleName: top.name, botRolePosition: top.position };
}

const channelReasons = [
  'Admins get notices and use the bot’s commands there.',
  'Members find out there how to link their wallets.',
];

function checkChannel(scene: Scene, names: readonly string[], reason: string): SetupCheck {
  const [name = ''] = names;
  const channel = scene.channels.find((candidate) => names.includes(candidate.name ?? ''));
  const check = {
    id: `channel.${name}`,
    subject: 'channel' as const,
    title: `Channel #${channel?.name ?? name}`,
    reason,
  };
  if (channel === undefined)
    return {
      ...check,
      state: 'advised',
      remedy: `Create a text channel called ${name}.`,
      link: serverLink(scene),
    };
  const bits = permissionsOf(scene, channel);
  const closed = (['ViewChannel', 'SendMessages'] as const).filter((right) => !allows(bits, right));
  if (closed.length === 0) return { ...check, state: 'ok' };
  return {
    ...check,
    state: 'advised',
    remedy: `Edit the channel, open Permissions, add the bot, and allow ${closed.map(spaced).join(' and ')}.`,
    link: `${serverLink(scene)}/${channel.id}`,
  };
}

function serverLink({ guildId }: Scene): string {
  return `https://discord.com/channels/${guildId}`;
}
