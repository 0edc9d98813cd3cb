import { type RawBuilder, sql } from '@latchkey/db';
import {
  type Actor,
  choice,
  listOf,
  notFound,
  op,
  type Page,
  pageOf,
  pageParams,
  principalId,
  record,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import { countWalletsOf, selectByAddressPart, selectCounted } from '../../identity/wallets/index.ts';
import type { PlatformRole } from '../../ports/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { nativeUserId, toUserKey, userKey } from '../../shared/qualified-ids.ts';
import { communityAdmin } from '../access/index.ts';
import { readPlatformRoles } from '../community/index.ts';
import { type CommunityRow, getCommunity } from '../community-records/index.ts';
import { guestsAmong, holdsGuestPass, selectGrantsOf } from '../guest-passes/index.ts';
import {
  countByRole,
  cursorOf,
  type FoundMember,
  type MemberFilter,
  type MemberOrder,
  selectFound,
  selectMemberList,
  selectMembers,
} from '../memberships/index.ts';

const who = {
  userId: text('The qualified id of the member, for example DIS#USER#123.'),
  platformUserId: text('The platform’s own id of the member.'),
  userName: T.Optional(text('The member’s name on the platform; absent if unknown.', { maxLength: 5000 })),
};

const MemberRoleName = record('MemberRoleName', 'A role that a member has.', {
  roleId: text('The id of the role on the platform.'),
  roleName: T.Optional(text('The current name of the role; absent if unknown.')),
});

const roles = T.Array(MemberRoleName, {
  description: 'The roles that the member was last seen with, by name.',
  maxItems: 1000,
});

const times = {
  lastActiveTime: T.Optional(text('When the member was last active, in ISO 8601; absent if never.')),
  checkedTime: T.Optional(text('When the member’s roles were last checked, in ISO 8601; absent if never.')),
};

export const CommunityMember = record('CommunityMember', 'A member of a community.', {
  ...who,
  roles,
  wallets: T.Number({ description: 'How many linked wallets count in this community.', minimum: 0 }),
  hasGuestPass: T.Boolean({ description: 'Whether the member holds a guest pass that has not expired.' }),
  isProtected: T.Boolean({ description: 'Whether the platform prevents Latchkey from changing this member’s roles.' }),
  ...times,
});
export type CommunityMember = ValueOf<typeof CommunityMember>;

const MemberProfile = record('MemberProfile', 'A current or former member of a community.', {
  ...who,
  roles,
  isBot: T.Boolean({ description: 'Whether it is a bot. Bots are never checked.' }),
  isProtected: T.Boolean({ description: 'Whether the platform prevents Latchkey from changing this member’s roles.' }),
  leftTime: T.Optional(text('When the member was found to have left, in ISO 8601; absent for current members.')),
  seenTime: text('When the platform last showed the member, in ISO 8601.'),
  ...times,
  wallets: T.Array(
    record('MemberWallet', 'A linked wallet that counts in the community.', {
      namespace: text('The family of chains, for example evm or solana.'),
      connectedTime: text('Since when it counts, in ISO 8601.'),
      address: T.Optional(
        text(
          'The address. Shown to the member and the operator only: wallets are proven to this server, not to admins.',
        ),
      ),
    }),
    { description: 'The wallets that count in this community, oldest first.', maxItems: 1000 },
  ),
  guestPasses: T.Array(
    record('MemberGuestPass', 'A guest pass that the member holds.', {
      name: text('The name of the pass.'),
      endsTime: text('When it expires, in ISO 8601.'),
    }),
    { description: 'The guest passes that have not expired.', maxItems: 100 },
  ),
});
type MemberProfile = ValueOf<typeof MemberProfile>;

const HeldRole = record('HeldRole', 'A role, and how many members have it.', {
  roleId: text('The id of the role on the platform.'),
  roleName: T.Optional(text('The current name of the role; absent if unknown.')),
  members: T.Number({ description: 'How many members were last seen with it, excluding bots.', minimum: 0 }),
});
type HeldRole = ValueOf<typeof HeldRole>;

const MemberList = record('MemberList', 'The result of the last member list of a community.', {
  communityId: text('The qualified id of the community.'),
  listedTime: T.Optional(text('When the members were last listed, in ISO 8601; absent before the first time.')),
  listed: T.Optional(T.Number({ description: 'How many members the list showed.' })),
  isComplete: T.Optional(
    T.Boolean({
      description: 'Whether it was complete. Members who are missing from an incomplete list keep their roles.',
    }),
  ),
  reason: T.Optional(text('Why it was incomplete, if the platform says so.', { maxLength: 4096 })),
});
type MemberList = ValueOf<typeof MemberList>;

export async function getMemberList(
  ctx: Pick<Context, 'db' | 'tx'>,
  { communityId }: { communityId: string },
): Promise<MemberList> {
  const { id } = await ctx.tx((tx) => getCommunity(tx, communityId));
  const row = await selectMemberList(ctx.db.system, id);
  if (row === undefined) return { communityId: id };
  return {
    communityId: id,
    listedTime: row.listed_at.toISOString(),
    listed: row.listed,
    isComplete: row.is_complete,
    ...(row.reason !== null && { reason: row.reason }),
  };
}

export interface MembersRequest extends Omit<MemberFilter, 'foundByWallet' | 'where'> {
  hasGuestPass?: boolean | undefined;
  order?: MemberOrder | undefined;
}

/** Fewer characters of an address match too many wallets to identify a member. */
const leastOfAddress = 4;
const mostByAddress = 1_000;

/** Returns the members of a community that match a search and filters. */
export async function listMembers(
  ctx: Context,
  { communityId, limit, paginationToken, ...request }: { communityId: string } & MembersRequest & PageRequest,
): Promise<Page<CommunityMember>> {
  const community = await ctx.tx((tx) => getCommunity(tx, communityId));
  const viewerId = seesEveryAddress(ctx.actor) ? undefined : principalId(ctx.actor);
  const page = await paginate(ctx, { limit, paginationToken }, await foundMembers(ctx, community, request, viewerId));
  return { ...page, items: await describeMembers(ctx, community, page.items) };
}

/** The requested members, in pages. Without a viewer the caller is the operator, who sees every address. */
export async function foundMembers(
  ctx: Pick<Context, 'clock' | 'db'>,
  community: CommunityRow,
  { order = 'name', ...request }: MembersRequest,
  viewerId: string | undefined,
) {
  const search = plainSearch(request.search);
  const foundByWallet = await findByWallet(ctx, community, search, viewerId);
  const { roleIds, roleMatch, hasWallet, hasGuestPass } = request;
  const now = ctx.clock();
  const isGuest = (user: RawBuilder<unknown>) => holdsGuestPass(user, community.id, now);
  const filter: MemberFilter = { search, foundByWallet, roleIds, roleMatch, hasWallet };
  if (hasGuestPass !== undefined)
    filter.where = (user) => (hasGuestPass ? isGuest(user) : sql<boolean>`not ${isGuest(user)}`);
  const place = { communityId: community.id, idPrefix: userKey(community.platform, '') };
  return {
    // The same list, whatever the order of the parameters.
    list: `members:${JSON.stringify([community.id, order, search, roleIds, roleMatch, hasWallet, hasGuestPass])}`,
    read: (after: readonly string[] | undefined, limit: number) =>
      selectFound(ctx.db.system, place, filter, order, after, limit),
    cursorOf: (member: FoundMember) => cursorOf(order, member),
  };
}

/** Removes the platform's prefix from a user name. */
function plainSearch(search: string | undefined): string | undefined {
  const plain = search?.trim().replace(/^(?:@|\/?u\/)/, '');
  return plain === '' ? undefined : plain;
}

/** Members prove wallets to this server, not to admins: a viewer who may not see an address cannot search by it either. */
async function findByWallet(
  { db }: Pick<Context, 'db'>,
  { id }: CommunityRow,
  search: string | undefined,
  userId: string | undefined,
): Promise<string[]> {
  if (search === undefined || search.length < leastOfAddress) return [];
  return selectByAddressPart(db.system, id, search, { userId, limit: mostByAddress });
}

function seesEveryAddress(actor: Actor): boolean {
  return actor.kind === 'admin' || actor.kind === 'system';
}

/** Describes members for admins, with the names of their roles. */
export async function describeMembers(
  ctx: Pick<Context, 'clock' | 'db' | 'hosts' | 'log'>,
  community: CommunityRow,
  members: readonly FoundMember[],
): Promise<CommunityMember[]> {
  if (members.length === 0) return [];
  const userIds = members.map(({ user_id }) => user_id);
  const [roles, wallets, guests] = await Promise.all([
    readPlatformRoles(ctx, community),
    countWalletsOf(ctx.db.system, community.id, userIds),
    guestsAmong(ctx.db.system, community.id, userIds, ctx.clock()),
  ]);
  return members.map((member) => ({
    userId: member.user_id,
    platformUserId: nativeUserId(community.platform, member.user_id) ?? member.user_id,
    userName: member.user_name ?? undefined,
    roles: namedRoles(member.role_ids, roles),
    wallets: wallets.get(member.user_id) ?? 0,
    hasGuestPass: guests.has(member.user_id),
    isProtected: member.is_protected === true,
    lastActiveTime: member.last_active_at?.toISOString(),
    checkedTime: member.checked_at?.toISOString(),
  }));
}

const mostPasses = 100;

/** Returns what is known about one current or former member. */
export async function getMember(
  ctx: Context,
  { communityId, userId }: { communityId: string; userId: string },
): Promise<MemberProfile> {
  const community = await ctx.tx((tx) => getCommunity(tx, communityId));
  const db = ctx.db.system;
  const wanted = toUserKey(community.platform, userId);
  const [member] = await selectMembers(db, community.id, [wanted]);
  if (member === undefined) throw notFound('member');
  const [roles, wallets, grants] = await Promise.all([
    readPlatformRoles(ctx, community),
    selectCounted(db, community.id, wanted),
    selectGrantsOf(db, community.id, wanted, mostPasses),
  ]);
  const showsAddresses = seesEveryAddress(ctx.actor) || principalId(ctx.actor) === wanted;
  const now = ctx.clock();
  return {
    userId: wanted,
    platformUserId: nativeUserId(community.platform, wanted) ?? wanted,
    userName: member.user_name ?? undefined,
    roles: namedRoles(member.role_ids, roles),
    isBot: member.is_bot,
    isProtected: member.is_protected === true,
    leftTime: member.left_at?.toISOString(),
    seenTime: member.seen_at.toISOString(),
    lastActiveTime: member.last_active_at?.toISOString(),
    checkedTime: member.checked_at?.toISOString(),
    wallets: wallets.map(({ namespace, address, shown_address, connected_at }) => ({
      namespace,
      connectedTime: connected_at.toISOString(),
      ...(showsAddresses && { address: shown_address ?? address }),
    })),
    guestPasses: grants
      .filter(({ ended_at, ends_at }) => ended_at === null && ends_at > now)
      .map(({ name, ends_at }) => ({ name, endsTime: ends_at.toISOString() })),
  };
}

/** The filters of the member list; an export uses the same. */
export const memberFilter = {
  search: T.Optional(
    text(
      'Only members whose name or id contains this, ignoring case. Also matches part of a wallet address, from 4 characters on, if you can see the address: your own, or any for the operator.',
      { maxLength: 128 },
    ),
  ),
  roleIds: T.Optional(
    T.Array(text('The id of a role on the platform.', { minLength: 1, maxLength: 128 }), {
      description: 'Only members with these roles.',
      maxItems: 25,
    }),
  ),
  roleMatch: T.Optional(
    choice('Whether a member must have any of the roles or all of them. Defaults to any.', ['any', 'all'] as const),
  ),
  hasWallet: T.Optional(T.Boolean({ description: 'Only members with, or without, a linked wallet.' })),
  hasGuestPass: T.Optional(T.Boolean({ description: 'Only members with, or without, a guest pass.' })),
  order: T.Optional(
    choice('By name, or by last activity, most recent first. Defaults to name.', ['name', 'activity'] as const),
  ),
};

const mostRoles = 500;

/** Returns the roles that members have, most common first. */
export async function listHeldRoles(
  ctx: Pick<Context, 'db' | 'hosts' | 'log' | 'tx'>,
  { communityId }: { communityId: string },
): Promise<HeldRole[]> {
  const community = await ctx.tx((tx) => getCommunity(tx, communityId));
  const [held, roles] = await Promise.all([
    countByRole(ctx.db.system, community.id, mostRoles),
    readPlatformRoles(ctx, community),
  ]);
  return held.map(({ role_id, members }) => ({ roleId: role_id, roleName: roles.get(role_id)?.name, members }));
}

const access = communityAdmin('communityId', 'role-manager');

export const memberOperations = [
  op(
    'GET /latchkey/communities/{communityId}/member-list',
    {
      id: 'getMemberList',
      summary: 'Get the state of the member list',
      description:
        'Returns when the members of a community were last read from its platform, how many were listed, and whether the list was complete. A list is incomplete if the platform shows only some members: Telegram without an API id, more than 10,000 members, hidden members, or a platform that stopped answering. For community admins.',
      access,
      params: { communityId: communityParam },
      returns: MemberList,
    },
    getMemberList,
  ),
  op(
    'GET /latchkey/communities/{communityId}/members',
    {
      id: 'listMembers',
      summary: 'List and search members',
      description:
        'Returns the members of a community, excluding bots, with their roles, number of linked wallets and whether they hold a guest pass. Search by part of a name or id, and filter by roles, wallets and guest passes. For community admins.',
      access,
      params: { communityId: communityParam, ...memberFilter, ...pageParams },
      returns: pageOf(CommunityMember, 'CommunityMemberPage'),
      paginated: 'token',
    },
    listMembers,
  ),
  op(
    'GET /latchkey/communities/{communityId}/members/{userId}',
    {
      id: 'getMember',
      summary: 'Get a member',
      description:
        'Returns a current or former member of a community: roles, linked wallets, guest passes, and when they were last seen and checked. Wallet addresses are shown to the member and the operator only. For community admins.',
      access,
      params: {
        communityId: communityParam,
        userId: text('The qualified id of the member, or the platform’s own id.', { minLength: 1, maxLength: 128 }),
      },
      returns: MemberProfile,
    },
    getMember,
  ),
  op(
    'GET /latchkey/communities/{communityId}/member-roles',
    {
      id: 'listHeldRoles',
      summary: 'Count members by role',
      description:
        'Returns every role that members of the community have, with how many members have it, most common first. For community admins.',
      access,
      params: { communityId: communityParam },
      returns: listOf(HeldRole),
    },
    listHeldRoles,
  ),
] as const;

/** Sorts roles by name; those without a known name come last. */
function namedRoles(
  roleIds: readonly string[],
  roles: ReadonlyMap<string, PlatformRole>,
): { roleId: string; roleName: string | undefined }[] {
  return roleIds
    .map((roleId) => ({ roleId, roleName: roles.get(roleId)?.name }))
    .toSorted((a, b) => compare(a.roleName ?? '\u{10ffff}', b.roleName ?? '\u{10ffff}') || compare(a.roleId, b.roleId));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
