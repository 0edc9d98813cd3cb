import { notFound } from '@latchkey/kernel';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { allows, channelNames, permissionsOf, spaced } from '../../communities/discord-guilds/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import {
  type DiscordApi,
  type DiscordChannelObject,
  type DiscordMemberObject,
  type DiscordRoleObject,
  findDiscordRoleFault,
  highestBotRole,
  PlatformFailed,
} from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { describeMissing } from '../../shared/platform-setup.ts';
import { getDevvitApp } from '../devvit/index.ts';
import { getRegistration } from '../linked-roles/index.ts';
import { isCommunityConfigSet } from '../reddit/index.ts';
import { selectSettings } from '../role-invites/index.ts';
import { checkHost, whyInside } from './check-host.ts';
import { checkRoleInvites } from './check-role-invites.ts';
import { checkTelegram } from './check-telegram.ts';
import { describeDevvit } from './describe-devvit.ts';
import {
  discordInvite,
  isUsedPermission,
  optionalPermissions,
  type UsedPermission,
  usedPermissions,
} from './invite-links.ts';
import { selectJoinMessage } from './join-queries.ts';
import { type CommunitySetup, type Findings, faultsFirst, type SetupCheck, stateOf } from './setup-check.ts';

/** Asks the platform what the bot has and lacks. An unresponsive platform is not a setup problem. */
export async function checkCommunitySetup(
  ctx: Context,
  { communityId }: { communityId: string },
): Promise<CommunitySetup> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined) throw notFound('community');
  const found = await runChecks(ctx, community).catch((error: unknown) => {
    if (!(error instanceof PlatformFailed)) throw error;
    return describeFailure(community, error);
  });
  const inviteLink = community.platform === 'discord' ? discordInvite(ctx, community.community_id) : undefined;
  return {
    communityId: community.id,
    platform: community.platform,
    checkedTime: ctx.clock().toISOString(),
    ...(inviteLink !== undefined && { inviteLink }),
    ...('problem' in found
      ? { state: 'unknown', problem: found.problem, checks: [] }
      : { state: stateOf(found.checks), checks: faultsFirst(found.checks) }),
  };
}

async function runChecks(ctx: Context, community: CommunityRow): Promise<Findings> {
  const { discord, telegram, reddit } = ctx;
  switch (community.platform) {
    case 'discord': {
      if (discord === undefined) break;
      const rules = await selectRules(ctx.db.system, community.id);
      const roleIds = rules.map(({ role_id }) => role_id);
      const [needed, linkedRoles] = await Promise.all([
        checkDiscord(ctx, discord, community, roleIds, {
          join: await selectJoinMessage(ctx.db.system, community.id),
          invites: await selectSettings(ctx.db.system, community.id),
        }),
        checkLinkedRoles(ctx),
      ]);
      return { checks: [...needed, ...linkedRoles] };
    }
    case 'telegram':
      if (telegram === undefined) break;
      return { checks: await checkTelegram(ctx, telegram, community) };
    case 'reddit':
      if (reddit === undefined) break;
      return checkReddit(ctx, community);
    default: {
      const host = ctx.hosts[community.platform];
      if (host !== undefined) return { checks: await checkHost(ctx, host, community) };
    }
  }
  return { problem: describeMissing(community.platform, ['bot']) };
}

/** If the platform does not know the community, the bot was removed: that is a problem, not an outage. */
function describeFailure({ platform }: CommunityRow, { kind, message }: PlatformFailed): Findings {
  if (kind !== 'unknown-community' && !(kind === 'forbidden' && platform === 'telegram')) return { problem: message };
  return {
    checks: [
      {
        id: 'bot',
        subject: 'bot',
        state: 'broken',
        title: 'Bot in the community',
        reason: whyInside,
        remedy: 'Add the bot to the community again.',
      },
    ],
  };
}

const check = { id: 'linked-roles', subject: 'linked-roles', title: 'Discord linked roles' } as const;

/** Whether admins can create linked roles in Discord. Optional, so it is never a problem. */
async function checkLinkedRoles(ctx: Pick<Context, 'linkedRoles' | 'settings'>): Promise<SetupCheck[]> {
  const { state } = await getRegistration(ctx);
  if (state === 'not-configured') return [];
  if (state === 'unknown')
    return [{ ...check, state: 'optional', reason: 'Could not check whether linked roles are available on Discord.' }];
  if (state !== 'registered')
    return [
      {
        ...check,
        state: 'optional',
        reason:
          'Discord can give roles itself, based on what members have linked. Linked roles are not registered with Discord yet.',
        remedy: 'The operator of this Latchkey server can register them under Operator > Linked roles.',
      },
    ];
  return [
    {
      ...check,
      state: 'ok',
      reason:
        'Another way to give roles, without the bot: in Discord, open Server Settings > Roles, choose a role, open Links, and add this bot. Members then connect in the console, under My account.',
    },
  ];
}

/** Checks whether the linked moderator account of a subreddit still works. */
async function checkReddit(ctx: Context, community: CommunityRow): Promise<Findings> {
  const app = await getDevvitApp(ctx, { communityId: community.id });
  if (app.isPaired) return { checks: [describeDevvit(app, ctx.clock())] };
  const { botTokenStatus, message } = await isCommunityConfigSet(ctx, { communityId: community.id });
  if (botTokenStatus === undefined) throw notFound('community');
  if (botTokenStatus === 'unknown') return { problem: message ?? 'Reddit is not responding.' };
  const isFine = botTokenStatus === 'valid';
  return {
    checks: [
      {
        id: 'account',
        subject: 'account',
        state: isFine ? 'ok' : 'broken',
        title: 'Moderator account',
        reason: 'Latchkey sets flair and approves users as a moderator of the subreddit.',
        ...(!isFine && {
          remedy:
            botTokenStatus === 'missing'
              ? 'Link the subreddit with the account of a moderator.'
              : 'Reddit no longer accepts the linked account, or the account is no longer a moderator. Link the subreddit again.',
          link: `https://www.reddit.com/r/${encodeURIComponent(community.community_id)}/about/moderators`,
        }),
      },
    ],
  };
}

interface Scene {
  guildId: string;
  bot: DiscordMemberObject;
  roles: readonly DiscordRoleObject[];
  channels: readonly DiscordChannelObject[];
}

const present = { id: 'bot', subject: 'bot', title: 'Bot in the server' } as const;
const whyPresent = 'The bot reads members and gives roles from inside the server.';

/** Checks everything that the bot needs in a Discord server, as Discord shows it now. */
async function checkDiscord(
  ctx: Pick<Context, 'settings'>,
  discord: DiscordApi,
  { community_id: guildId }: CommunityRow,
  ruleRoleIds: readonly string[],
  uses: { join: { channel_id: string | null } | undefined; invites: { channel_id: string } | undefined },
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
    ...(ruleRoleIds.length > 0 ? checkOptional(scene) : []),
    ...checkRoles(scene, ruleRoleIds),
    checkChannel(scene, channelNames[0], 'Admins get notices and use the bot’s commands there.'),
    checkChannel(scene, channelNames[1], 'Members learn there how to link their wallets.', uses.join?.channel_id),
    ...(uses.invites === undefined ? [] : checkRoleInvites(scene, uses.invites.channel_id, serverLink(scene))),
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

/** Permissions without which the bot gives roles all the same. */
function checkOptional(scene: Scene): SetupCheck[] {
  const bits = permissionsOf(scene);
  return Object.entries(optionalPermissions).map(([name, reason]): SetupCheck => {
    const title = optionalTitles[name as keyof typeof optionalPermissions];
    const check = { id: `permission.${name}`, subject: 'permission' as const, title, reason };
    if (allows(bits, name as keyof typeof optionalPermissions)) return { ...check, state: 'ok' };
    const remedy = `If you want this, open Server Settings > Roles in Discord, choose the bot’s role, and switch on ${title}.`;
    return { ...check, state: 'optional', remedy, link: serverLink(scene) };
  });
}

const optionalTitles = { ViewAuditLog: 'View Audit Log', ManageGuild: 'Manage Server' } as const;

/** No role can be granted without it; the other permissions are for messages. */
function isNeeded(name: UsedPermission): boolean {
  return name === 'ManageRoles';
}

function checkRoles(scene: Scene, ruleRoleIds: readonly string[]): SetupCheck[] {
  const wanted = [...new Set(ruleRoleIds)];
  return wanted.length === 0 ? [checkOrder(scene)] : wanted.map((roleId) => checkRole(scene, roleId));
}

/** Before there are rules: whether the bot is above any role that could be granted. */
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

/** A channel by its name, or the one that the bot posted in, whatever that is called. */
function checkChannel(scene: Scene, names: readonly string[], reason: string, ownId?: string | null): SetupCheck {
  const [name = ''] = names;
  const channel =
    scene.channels.find(({ id }) => id === ownId) ??
    scene.channels.find((candidate) => names.includes(candidate.name ?? ''));
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
      remedy: `Let the bot create it in the console under Setup, or create a text channel called ${name}.`,
      link: serverLink(scene),
      canBotCreate: true,
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
