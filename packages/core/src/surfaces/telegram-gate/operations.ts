import { AppError, choice, notFound, op, record, shape, T, text, type ValueOf } from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin } from '../../communities/access/index.ts';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { readNames } from '../../gating/naming/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { notConfigured } from '../../shared/platform-setup.ts';
import { type BypassKind, markRevoked, revokesMisused, selectWays, setRevokesMisused, type Way } from './bypasses.ts';

const mostWays = 200;

const GateBypass = record('GateBypass', 'A way by which people joined without a request that was approved.', {
  id: text('Identifies the entry, to revoke it.'),
  kind: choice(
    'link: an invite link that lets anyone in. shared-invitation: a one-time invitation of the bot that another person used. folder: a link to a folder of chats. added: by a member. public: by the public name of the chat, or because anyone may join the room. other-room: because members of another room may join.',
    ['link', 'shared-invitation', 'folder', 'added', 'public', 'other-room'] as const,
  ),
  link: T.Optional(text('The invite link. Of links that others created, Telegram shows only the beginning.')),
  linkName: T.Optional(text('What the link is called.')),
  byName: T.Optional(text('Who created the link, or added people.')),
  roleId: T.Optional(text('The role of being in the room that they entered. Only on Matrix.')),
  roleName: T.Optional(text('The name of that room.')),
  joins: T.Number({ description: 'How many people joined this way in the last 90 days.', minimum: 1 }),
  lastTime: text('When the last of them joined, in ISO 8601.'),
  names: T.Array(text('A name on the chat platform.'), { description: 'The latest of them.', maxItems: 5 }),
  canRevoke: T.Boolean({ description: 'Whether the bot can revoke the link.' }),
  revokedTime: T.Optional(text('When the link was revoked from here, in ISO 8601.')),
  remedy: text('What to do about it, in a sentence.'),
});
type GateBypass = ValueOf<typeof GateBypass>;

const GateBypasses = record('GateBypasses', 'The ways around the gate of a community that people took.', {
  items: T.Array(GateBypass, { description: 'The latest first.', maxItems: mostWays }),
  revokesMisused: T.Boolean({
    description: 'Whether the bot revokes its one-time invitations that another person used.',
  }),
});
type GateBypasses = ValueOf<typeof GateBypasses>;

const GateSettings = shape(
  T.Object(
    {
      revokesMisused: T.Boolean({
        description: 'Whether the bot revokes its one-time invitations that another person used. Off by default.',
      }),
    },
    { additionalProperties: false },
  ),
);
type GateSettings = ValueOf<typeof GateSettings>;

const communityId = communityParam;

export const gateOperations = [
  op(
    'GET /latchkey/communities/{communityId}/gate-bypasses',
    {
      id: 'listGateBypasses',
      summary: 'List joins that bypassed the gate',
      description:
        'Returns the ways by which people joined a Telegram chat, or a Matrix space or room, with a rule for it without being let in by the bot: invite links, members who add people, public names, and rooms that are open to others. These people are members and are checked by the rules like all others. Only joins that the platform reported to the bot are included. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId },
      returns: GateBypasses,
    },
    listGateBypasses,
  ),
  op(
    'POST /latchkey/communities/{communityId}/gate-bypasses/{bypassId}/revoke',
    {
      id: 'revokeGateBypass',
      summary: 'Revoke an invite link',
      description:
        'Revokes an invite link that bypasses the gate, if the bot created it. Telegram lets a bot revoke no others. Members who joined with it stay. Revoking it again changes nothing. For community admins.',
      audit: 'community.invite-revoke',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: {
        communityId,
        bypassId: text('The entry, as in the list.', { minLength: 1, maxLength: 64 }),
      },
      returns: GateBypass,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    revokeGateBypass,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/gate-settings',
    {
      id: 'setGateSettings',
      summary: 'Set what the gate does',
      description:
        'Sets whether the bot of a Telegram chat revokes its one-time invitations by itself once another person used them. It applies to joins from then on; each revocation is in the audit log and in the notice to admins. For community admins.',
      audit: 'community.change',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId },
      body: GateSettings,
      returns: GateSettings,
    },
    setGateSettings,
  ),
] as const;

export async function listGateBypasses(ctx: Context, { communityId }: { communityId: string }): Promise<GateBypasses> {
  const community = await getCommunity(ctx, communityId);
  const ways = await selectWays(ctx.db.system, community.id, { limit: mostWays });
  const names = ways.some(({ role_id }) => role_id !== null) ? await readNames(ctx, community, []) : undefined;
  const items = ways.map((way) => describe(way, names?.role));
  return { items, revokesMisused: await revokesMisused(ctx.db.system, community.id) };
}

export async function setGateSettings(
  ctx: Pick<Context, 'db'>,
  { communityId, body }: { communityId: string; body: GateSettings },
): Promise<GateSettings> {
  const community = await getCommunity(ctx, communityId);
  await setRevokesMisused(ctx.db.system, community.id, body.revokesMisused);
  return body;
}

/** A way around the gate in a few words, for a notice. */
export function titleOfWay({ kind, link_name, link, by_name }: Way): string {
  return [titles[kind], link_name ?? link, by_name].filter((part) => part !== null).join(', ');
}

const titles: Readonly<Record<BypassKind, string>> = {
  link: 'Invite link',
  'shared-invitation': 'One-time invitation that another person used',
  folder: 'Link to a folder of chats',
  added: 'Added by a member',
  public: 'Open to everyone',
  'other-room': 'Open to members of another room',
};

export async function revokeGateBypass(
  ctx: Pick<Context, 'clock' | 'db' | 'telegram'>,
  { communityId, bypassId }: { communityId: string; bypassId: string },
): Promise<GateBypass> {
  const community = await getCommunity(ctx, communityId);
  const [way] = await selectWays(ctx.db.system, community.id, { limit: 1, wayId: bypassId });
  if (way === undefined) throw notFound('way around the gate');
  if (way.link === null || !way.is_own)
    throw new AppError('STATE_CONFLICT', `The bot cannot revoke this. ${remedyFor(way)}`);
  if (way.revoked_at === null) {
    await revoke(ctx, community, way.link);
    const revoked = { communityId: community.id, wayId: way.way_id, now: ctx.clock(), byBot: false };
    await markRevoked(ctx.db.system, revoked);
  }
  const [after = way] = await selectWays(ctx.db.system, community.id, { limit: 1, wayId: bypassId });
  return describe(after);
}

async function revoke({ telegram }: Pick<Context, 'telegram'>, community: CommunityRow, link: string): Promise<void> {
  if (telegram === undefined) throw notConfigured('telegram');
  try {
    await telegram.revokeInvite(community.community_id, link);
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    const { kind, message, retryAfterSeconds = 30 } = error;
    if (kind === 'unavailable') throw new AppError('UNAVAILABLE', message, { retryAfterSeconds, cause: error });
    throw new AppError('STATE_CONFLICT', message, { cause: error });
  }
}

async function getCommunity({ db }: Pick<Context, 'db'>, id: string): Promise<CommunityRow> {
  const community = await selectCommunity(db.system, id);
  if (community === undefined) throw notFound('community');
  return community;
}

function describe(way: Way, nameOf?: (roleId: string) => string): GateBypass {
  const { way_id: id, kind, link, link_name, by_name, joins, last_at, names, is_own, revoked_at } = way;
  return {
    id,
    kind,
    ...(link !== null && { link }),
    ...(link_name !== null && { linkName: link_name }),
    ...(by_name !== null && { byName: by_name }),
    ...(way.role_id !== null && { roleId: way.role_id, ...(nameOf && { roleName: nameOf(way.role_id) }) }),
    joins,
    lastTime: last_at.toISOString(),
    names,
    canRevoke: is_own && revoked_at === null,
    ...(revoked_at !== null && { revokedTime: revoked_at.toISOString() }),
    remedy: remedyFor(way),
  };
}

/** What to do about a way, for an admin who sees it in the console. Only the joins of rooms on Matrix have a role. */
export function remedyFor(way: Way): string {
  return way.role_id === null ? remedyOnTelegram(way) : remedyOnMatrix(way);
}

function remedyOnMatrix({ kind }: Way): string {
  return kind === 'added'
    ? 'In the room, open Settings > Roles & Permissions, and let only moderators invite users. Moderators can still do so.'
    : 'In the room, open Settings > Security & Privacy, and choose “Ask to join” or “Private (invite only)”.';
}

function remedyOnTelegram({ kind, is_own, by_name, revoked_at, by_bot }: Way): string {
  const maker = by_name ?? 'its creator';
  switch (kind) {
    case 'link':
    case 'shared-invitation':
      if (by_bot === true) return 'The bot revoked the link, as you chose. Nothing is left to do.';
      if (revoked_at !== null) return 'The link is revoked. Nothing is left to do.';
      return is_own
        ? 'Revoke the link here.'
        : `Only people can revoke this link: in Telegram, open the group’s profile, choose Edit > Invite Links, and revoke the link of ${maker} or switch on “Request Admin Approval” for it.`;
    case 'folder':
      return 'In Telegram, open the folder that was shared, and remove the group from its invite link.';
    case 'added':
      return 'In Telegram, open the group’s profile, choose Edit > Permissions, and switch off “Add Users”. Administrators with the right to add users can still do so.';
    case 'public':
    case 'other-room':
      return 'In Telegram, open the group’s profile, choose Edit > Group Type, and make it private or switch on “Approve New Members”.';
  }
}
