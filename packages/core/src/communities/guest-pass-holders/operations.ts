import type { Tx } from '@latchkey/db';
import {
  NoContent,
  notFound,
  op,
  type Page,
  pageOf,
  pageParams,
  record,
  shape,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { toUserKey } from '../../shared/qualified-ids.ts';
import { communityAdmin, confirmedCommunityAdmin } from '../access/index.ts';
import { getCommunity } from '../community-records/index.ts';
import {
  endGrants,
  type GuestPassRow,
  issueGuestPass,
  lockPass,
  selectHolders,
  settleGrant,
} from '../guest-passes/index.ts';
import { selectMembers } from '../memberships/index.ts';

const GuestPassHolder = record('GuestPassHolder', 'A member who holds a guest pass.', {
  userId: text('The qualified id of the member.'),
  userName: T.Optional(text('The member’s name on the platform; absent if unknown.')),
  issuedTime: text('When the pass was given, in ISO 8601.'),
  endsTime: text('When it ends, in ISO 8601.'),
  problem: T.Optional(text('Why its roles could not be granted yet.')),
});

type GuestPassHolder = ValueOf<typeof GuestPassHolder>;

type Named = { communityId: string; passId: string };

/** Returns the current holders of a pass, earliest expiry first. */
export async function listGuestPassHolders(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'tx'>,
  { communityId, passId, ...request }: Named & PageRequest,
): Promise<Page<GuestPassHolder>> {
  const pass = await ctx.tx((tx) => ownPass(tx, communityId, passId));
  const page = await paginate(ctx, request, {
    list: `guest-pass-holders:${pass.id}`,
    read: (after, limit) => selectHolders(ctx.db.system, pass.id, after, limit),
    cursorOf: ({ ends_at, id }) => [ends_at.toISOString(), id],
  });
  const members = await selectMembers(
    ctx.db.system,
    pass.community_id,
    page.items.map(({ user_id }) => user_id),
  );
  const names = new Map(members.map(({ user_id, user_name }) => [user_id, user_name ?? undefined]));
  return {
    ...page,
    items: page.items.map(({ user_id, issued_at, ends_at, problem }) => ({
      userId: user_id,
      userName: names.get(user_id),
      issuedTime: issued_at.toISOString(),
      endsTime: ends_at.toISOString(),
      ...(problem !== null && { problem }),
    })),
  };
}

/** Gives a pass to a member, or restarts its period. */
export async function giveGuestPass(
  ctx: Pick<Context, 'actor' | 'clock' | 'random' | 'tx'>,
  { communityId, passId, userId }: Named & { userId: string },
): Promise<{ endsTime: string }> {
  const member = toUserKey('discord', userId);
  const { endsAt } = await issueGuestPass(ctx, { guildId: communityId, passId, userId: member });
  return { endsTime: endsAt.toISOString() };
}

/** Ends one member's pass and removes the roles it granted. */
export async function endGuestPass(
  ctx: Pick<Context, 'clock' | 'tx'>,
  { communityId, passId, userId }: Named & { userId: string },
): Promise<void> {
  await ctx.tx(async (tx) => {
    const pass = await ownPass(tx, communityId, passId);
    const which = { passId: pass.id, userId: toUserKey('discord', userId), at: ctx.clock() };
    const [grant] = await endGrants(tx, which, 1);
    if (grant === undefined) throw notFound('guest pass');
    await settleGrant(tx, grant);
  });
}

async function ownPass(tx: Tx, communityId: string, passId: string): Promise<GuestPassRow> {
  const community = await getCommunity(tx, communityId);
  const pass = await lockPass(tx, community.id, passId);
  if (pass === undefined) throw notFound('guest pass');
  return pass;
}

const params = {
  communityId: communityParam,
  passId: T.String({ description: 'The id of the pass.', minLength: 1, maxLength: 64 }),
};

const userId = text('The id of the member, for example DIS#USER#123, or the platform’s own id.', {
  minLength: 1,
  maxLength: 128,
});

export const guestPassHolderOperations = [
  op(
    'GET /latchkey/communities/{communityId}/guest-passes/{passId}/holders',
    {
      id: 'listGuestPassHolders',
      summary: 'List holders of a guest pass',
      description:
        'Returns the members who currently hold a guest pass, the earliest expiry first. For community admins.',
      access: communityAdmin('communityId'),
      params: { ...params, ...pageParams },
      returns: pageOf(GuestPassHolder, 'GuestPassHolderPage'),
      paginated: 'token',
    },
    listGuestPassHolders,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}',
    {
      id: 'giveGuestPass',
      summary: 'Give a member a guest pass',
      description:
        'Gives a pass to a member. Its roles are granted at once and removed when it expires. Giving it again restarts the period. Fails with STATE_CONFLICT if the pass is inactive.',
      audit: 'guest-pass.give',
      access: confirmedCommunityAdmin('communityId'),
      params: { ...params, userId },
      returns: shape(T.Object({ endsTime: text('When the pass ends, in ISO 8601.') })),
      errors: ['STATE_CONFLICT', 'INVALID_PARAMETER_VALUE'],
    },
    giveGuestPass,
  ),
  op(
    'DELETE /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}',
    {
      id: 'endGuestPass',
      summary: 'End a member’s guest pass',
      description: 'Ends a member’s pass now, and removes the roles that it granted.',
      audit: 'guest-pass.end',
      access: confirmedCommunityAdmin('communityId'),
      params: { ...params, userId },
      returns: NoContent,
    },
    endGuestPass,
  ),
] as const;
