import {
  type Access,
  AppError,
  choice,
  notFound,
  op,
  principalId,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin } from '../../communities/access/index.ts';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { askDiscord } from '../../communities/discord-guilds/index.ts';
import { pictureAddresses, withPicture } from '../../communities/pictures/index.ts';
import { evaluateMember, type RoleVerdict } from '../../gating/evaluation/index.ts';
import { refuseInShadow } from '../../gating/role-changes/index.ts';
import { communityIdField, communityParam } from '../../shared/community-id.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import { describeRoles, MyRole } from '../my-roles/index.ts';
import { codePlace } from './check.ts';
import { findGrants } from './find-grants.ts';
import { issueInvite, notOffered } from './issue.ts';
import { canHoldInvites, findNeeds } from './needs.ts';
import {
  countInvites,
  deleteSettings,
  type InviteRow,
  lockInvites,
  moveInvite,
  putSettings,
  revokeAll,
  selectOpenInvite,
  selectSettings,
} from './queries.ts';

const mostChannels = 500;

const RoleInvites = record('RoleInvites', 'Whether a Discord server offers role invites, and what that needs.', {
  isOn: T.Boolean({ description: 'Whether people who qualify can get an invite that gives their roles.' }),
  channelId: T.Optional(text('The channel that the invites lead into, as Discord’s id.')),
  channels: T.Array(
    record('RoleInviteChannel', 'A channel that invites can lead into.', {
      id: text('Discord’s id of the channel.'),
      name: text('The name of the channel.'),
    }),
    { description: 'The text channels of the server.', maxItems: mostChannels },
  ),
  needs: T.Array(
    record('RoleInviteNeed', 'A permission that the bot needs for role invites.', {
      permission: text('What Discord’s settings call it.'),
      why: text('What it is for.'),
      isGiven: T.Boolean({ description: 'Whether the bot has it.' }),
      remedy: T.Optional(text('How to give it; absent if it is given.')),
    }),
    { description: 'What the bot needs in the channel; empty while no channel is chosen.', maxItems: 10 },
  ),
  link: text('Where people get their invite. Anyone may have this link.'),
  open: T.Number({ description: 'How many invites can be used now.', minimum: 0 }),
  used: T.Number({ description: 'How many people joined by one in the last 90 days.', minimum: 0 }),
  problems: T.Array(text('Why Discord did not delete an invite so far.'), {
    description: 'What keeps invites from being revoked. They expire after 30 minutes in any case.',
    maxItems: 20,
  }),
});
type RoleInvites = ValueOf<typeof RoleInvites>;

const MyRoleInvite = record('MyRoleInvite', 'Your invite into a Discord server.', {
  communityId: text('The qualified id of the community.'),
  communityName: text('What the community is called.', { maxLength: 256 }),
  picture: T.Optional(text('The path on this server where its picture is; absent if it has none.')),
  state: choice(
    'none: you have no invite. preparing: Discord is preparing it; ask again in some seconds. ready: you can use it. member: you are in the server already.',
    ['none', 'preparing', 'ready', 'member'] as const,
  ),
  url: T.Optional(text('The invite, once it is ready. Only the POST returns it.')),
  expiresTime: T.Optional(text('Until when it can be used, in ISO 8601.')),
  invited: T.Array(text('The id of a role on Discord.'), {
    description: 'The roles that the invite gives.',
    maxItems: 250,
  }),
  roles: T.Array(MyRole, { description: 'The roles that rules give there, and what each needs.', maxItems: 1000 }),
});
export type MyRoleInvite = ValueOf<typeof MyRoleInvite>;

const adminPath = '/latchkey/communities/{communityId}/role-invites' as const;
const ownPath = '/latchkey/account/communities/{communityId}/role-invite' as const;
const communityId = communityParam;
const community = communityIdField('The qualified id of the community, for example DIS#COMM#123.');
/** For the person; their invite is nobody else’s business. */
const person: Access = { roles: ['$user_account'], scopes: ['user:wallet:write'] };

export const roleInviteOperations = [
  op(
    `GET ${adminPath}`,
    {
      id: 'getRoleInvites',
      summary: 'Get the role invite settings',
      description:
        'Returns whether a Discord server offers role invites: personal invites by which people who qualify arrive with their roles. Names the permissions that the bot lacks for it in the chosen channel, or in the one of the parameter. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: {
        communityId,
        channelId: T.Optional(text('Shows what the bot needs in this channel instead.', { pattern: '^\\d{15,20}$' })),
      },
      returns: RoleInvites,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    getRoleInvites,
  ),
  op(
    `PUT ${adminPath}`,
    {
      id: 'turnOnRoleInvites',
      summary: 'Turn on role invites',
      description:
        'Lets people who qualify for roles get a personal invite that gives them. Invites lead into the given channel, can be used once within 30 minutes by that person alone, and are revoked when the person no longer qualifies. Fails with STATE_CONFLICT, which names what is missing, if the bot lacks a permission. For community admins.',
      audit: 'community.change',
      auditedFields: ['channelId'],
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId },
      body: record('RoleInviteChannelChoice', 'Where role invites lead.', {
        channelId: text('Discord’s id of a text channel of the server.', { pattern: '^\\d{15,20}$' }),
      }),
      returns: RoleInvites,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    turnOnRoleInvites,
  ),
  op(
    `DELETE ${adminPath}`,
    {
      id: 'turnOffRoleInvites',
      summary: 'Turn off role invites',
      description:
        'Creates no more role invites, and revokes those that can still be used. People who joined by one stay. For community admins.',
      audit: 'community.change',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId },
      returns: RoleInvites,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    turnOffRoleInvites,
  ),
  op(
    `GET ${ownPath}`,
    {
      id: 'getMyRoleInvite',
      summary: 'Get your role invite',
      description:
        'Returns the signed-in person’s invite into a Discord server that they are not in yet, and the roles that they could have there with what each needs. Fails with STATE_CONFLICT if the server does not offer role invites.',
      access: person,
      params: { communityId: community },
      returns: MyRoleInvite,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    getMyRoleInvite,
  ),
  op(
    `POST ${ownPath}`,
    {
      id: 'createMyRoleInvite',
      summary: 'Create your role invite',
      description:
        'Evaluates the rules now and creates an invite that gives the signed-in person the roles they qualify for when they join the Discord server. Only they can use it, once, within 30 minutes. Returns the present invite if it gives the same roles. Fails with STATE_CONFLICT if they qualify for no role or are in the server, and with UNAVAILABLE if something could not be read.',
      audit: 'roles.check',
      access: person,
      params: { communityId: community },
      returns: MyRoleInvite,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    createMyRoleInvite,
  ),
] as const;

type Here = { communityId: string };

export async function getRoleInvites(
  ctx: Context,
  { communityId, channelId }: Here & { channelId?: string | undefined },
): Promise<RoleInvites> {
  const community = await getServer(ctx, communityId);
  const settings = await selectSettings(ctx.db.system, community.id);
  const counts = await countInvites(ctx.db.system, community.id);
  const shownId = channelId ?? settings?.channel_id;
  const { channels, needs } = await lookAt(ctx, community, shownId);
  return {
    isOn: settings !== undefined,
    ...(settings !== undefined && { channelId: settings.channel_id }),
    channels: channels.slice(0, mostChannels).map(({ id, name }) => ({ id, name: name ?? id })),
    needs,
    link: `${ctx.settings.baseUrl}/console/me/roles?server=${encodeURIComponent(community.id)}`,
    ...counts,
  };
}

export async function turnOnRoleInvites(
  ctx: Context,
  { communityId, body: { channelId } }: Here & { body: { channelId: string } },
): Promise<RoleInvites> {
  const community = await getServer(ctx, communityId);
  const { channels, needs } = await lookAt(ctx, community, channelId);
  if (!channels.some(({ id }) => id === channelId)) throw notFound('channel; choose a text channel of this server');
  const missing = needs.filter(({ isGiven }) => !isGiven);
  if (missing.length > 0)
    throw new AppError(
      'STATE_CONFLICT',
      `The bot lacks ${missing.map(({ permission }) => permission).join(', ')}. ${missing.map(({ remedy }) => remedy).join(' ')}`,
    );
  const { actor, clock, db } = ctx;
  const now = clock();
  await db.transaction('system', async (tx) => {
    await lockInvites(tx, community.id);
    const before = await selectSettings(tx, community.id);
    if (before !== undefined && before.channel_id !== channelId) await revokeAll(tx, community.id, 'setting', now);
    await putSettings(tx, {
      community_id: community.id,
      channel_id: channelId,
      turned_on_at: before?.turned_on_at ?? now,
      turned_on_by: actor.kind === 'user' ? actor.userId : null,
    });
  });
  return getRoleInvites(ctx, { communityId });
}

export async function turnOffRoleInvites(ctx: Context, { communityId }: Here): Promise<RoleInvites> {
  const community = await getServer(ctx, communityId);
  await ctx.db.transaction('system', async (tx) => {
    await lockInvites(tx, community.id);
    await deleteSettings(tx, community.id);
    await revokeAll(tx, community.id, 'setting', ctx.clock());
  });
  return getRoleInvites(ctx, { communityId });
}

export async function getMyRoleInvite(ctx: Context, { communityId }: Here): Promise<MyRoleInvite> {
  const { community, userId, discordId } = await getOffer(ctx, communityId);
  const system = contextFor(ctx, { kind: 'system', job: 'role-invites' });
  if (await isMember(ctx, community, discordId)) return describe(ctx, community, { state: 'member', userId });
  const verdicts = await evaluateMember(system, community, userId, {});
  const open = await selectOpenInvite(ctx.db.system, community.id, userId);
  if (open === undefined) return describe(ctx, community, { state: 'none', userId, verdicts });
  const { url: _, ...invite } = await describeInvite(ctx, community, open, { userId, verdicts });
  // A code lets a person in, so reading does not show it.
  return invite;
}

export async function createMyRoleInvite(ctx: Context, { communityId }: Here): Promise<MyRoleInvite> {
  const { community, userId, discordId } = await getOffer(ctx, communityId);
  await refuseInShadow(ctx.db.system, community.id);
  if (await isMember(ctx, community, discordId))
    throw new AppError(
      'STATE_CONFLICT',
      `You are in ${community.name} already. Your roles there are checked by themselves.`,
    );
  const system = contextFor(ctx, { kind: 'system', job: 'role-invites' });
  const verdicts = await evaluateMember(system, community, userId, { from: 'chain' });
  const grants = await askDiscord(ctx, () => findGrants(system, community, userId, verdicts));
  if (grants.length === 0) {
    if (verdicts.some(({ truth }) => truth === 'unknown'))
      throw new AppError('UNAVAILABLE', 'Some of your roles could not be checked right now. Try again shortly.', {
        retryAfterSeconds: 30,
      });
    throw new AppError(
      'STATE_CONFLICT',
      'You do not qualify for a role that an invite can give. Link a wallet that has what a role needs.',
    );
  }
  const invite = await issueInvite(system, community, { userId, discordId, grants });
  return describeInvite(ctx, community, invite, { userId, verdicts });
}

interface Seen {
  userId: string;
  verdicts?: readonly RoleVerdict[];
}

/** Shows the code only once Discord lets nobody else use it. */
async function describeInvite(
  ctx: Context,
  community: CommunityRow,
  invite: InviteRow,
  seen: Seen,
): Promise<MyRoleInvite> {
  const { system } = ctx.db;
  const { id, code, ready_at, expires_at, grants } = invite;
  if (invite.state === 'creating' || code === null) return describe(ctx, community, { ...seen, state: 'preparing' });
  const opened = ctx.keyring.openText(codePlace(id), code);
  const now = ctx.clock();
  if (ready_at === null) {
    const state = await askDiscord(ctx, (discord) => discord.personalInviteState(opened));
    if (state === 'preparing') return describe(ctx, community, { ...seen, state: 'preparing' });
    if (state !== 'ready') {
      await moveInvite(system, id, ['live'], { state: 'revoking', why: state ?? 'gone', due_at: now });
      throw new AppError('UNAVAILABLE', 'Discord could not prepare your invite. Try again in a moment.', {
        retryAfterSeconds: 10,
      });
    }
    await moveInvite(system, id, ['live'], { ready_at: now });
  }
  const invited = grants.map(({ roleId }) => roleId);
  return describe(ctx, community, {
    ...seen,
    state: 'ready',
    url: `https://discord.gg/${opened}`,
    expiresAt: expires_at,
    invited,
  });
}

async function describe(
  ctx: Context,
  community: CommunityRow,
  {
    state,
    url,
    expiresAt,
    invited = [],
    userId,
    verdicts = [],
  }: Seen & { state: MyRoleInvite['state']; url?: string; expiresAt?: Date; invited?: string[] },
): Promise<MyRoleInvite> {
  const system = contextFor(ctx, { kind: 'system', job: 'role-invites' });
  const pictures = await pictureAddresses(ctx.db.system, [community.id]);
  return {
    communityId: community.id,
    communityName: community.name,
    ...withPicture(pictures, community.id),
    state,
    ...(url !== undefined && { url }),
    ...(expiresAt !== undefined && { expiresTime: expiresAt.toISOString() }),
    invited,
    roles: await describeRoles(system, community, userId, { member: { roleIds: [], verdicts }, locale: ctx.locale }),
  };
}

/** The offer of a server, for a person with an account on Discord. A server without one says so only by that. */
async function getOffer(
  ctx: Pick<Context, 'actor' | 'db'>,
  id: string,
): Promise<{ community: CommunityRow; userId: string; discordId: string }> {
  const community = await selectCommunity(ctx.db.system, id);
  const settings = community && (await selectSettings(ctx.db.system, community.id));
  // A stranger learns nothing about servers that do not offer this.
  if (community?.platform !== 'discord' || settings === undefined) throw notFound('community');
  if (community.status !== 'active') throw notOffered(community);
  const userId = principalId(ctx.actor);
  const discordId = nativeUserId('discord', userId);
  if (discordId === undefined)
    throw new AppError('STATE_CONFLICT', 'Sign in with Discord to get an invite: it works for that account alone.');
  return { community, userId, discordId };
}

function isMember(ctx: Context, { community_id: guildId }: CommunityRow, discordId: string): Promise<boolean> {
  return askDiscord(ctx, async (discord) => (await discord.readMember(guildId, discordId)) !== undefined);
}

async function lookAt(ctx: Context, { community_id: guildId }: CommunityRow, channelId: string | undefined) {
  return askDiscord(ctx, async (discord) => {
    const bot = await discord.readBot(guildId);
    if (bot === undefined)
      throw new AppError('STATE_CONFLICT', 'The bot is not in this Discord server. Invite it and try again.');
    const [roles, all] = await Promise.all([discord.readRoles(guildId), discord.readChannels(guildId)]);
    const channels = all.filter(canHoldInvites);
    const channel = channels.find(({ id }) => id === channelId);
    return { channels, needs: channel === undefined ? [] : findNeeds({ guildId, bot, roles }, channel) };
  });
}

async function getServer({ db }: Pick<Context, 'db'>, id: string): Promise<CommunityRow> {
  const community = await selectCommunity(db.system, id);
  if (community === undefined) throw notFound('community');
  if (community.platform !== 'discord')
    throw new AppError('STATE_CONFLICT', 'Role invites exist only in Discord servers.');
  return community;
}
