import { type Actor, type Page, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type PageRequest, paginate } from '../../paging.ts';
import { countWalletsOf, selectByAddressPart } from '../../people/wallets/index.ts';
import { type CommunityRow, getCommunity, nativeUserId, readPlatformRoles, userKey } from '../communities/index.ts';
import { guestsAmong } from '../guest-passes/index.ts';
import type { CommunityMember } from './member.ts';
import { namedRoles } from './named-roles.ts';
import { cursorOf, type FoundMember, type MemberFilter, type MemberOrder, selectFound } from './search-queries.ts';

export interface MembersAsked extends Omit<MemberFilter, 'foundByWallet'> {
  order?: MemberOrder | undefined;
}

/** Fewer letters of an address fit too many wallets to tell anybody apart. */
const leastOfAddress = 4;
const mostByAddress = 1_000;

/** The members of a community that a search and filters leave. */
export async function listMembers(
  ctx: Context,
  { communityId, limit, paginationToken, ...asked }: { communityId: string } & MembersAsked & PageRequest,
): Promise<Page<CommunityMember>> {
  const community = await ctx.tx((tx) => getCommunity(tx, communityId));
  const viewerId = seesEveryAddress(ctx.actor) ? undefined : principalId(ctx.actor);
  const page = await paginate(ctx, { limit, paginationToken }, await foundMembers(ctx, community, asked, viewerId));
  return { ...page, items: await describeMembers(ctx, community, page.items) };
}

/** The members that somebody asks for, in pages. Without a viewer it is the operator, who sees every address. */
export async function foundMembers(
  ctx: Pick<Context, 'clock' | 'db'>,
  community: CommunityRow,
  { order = 'name', ...asked }: MembersAsked,
  viewerId: string | undefined,
) {
  const search = plainSearch(asked.search);
  const foundByWallet = await findByWallet(ctx, community, search, viewerId);
  const { roleIds, roleMatch, hasWallet, hasGuestPass } = asked;
  const filter = { search, foundByWallet, roleIds, roleMatch, hasWallet, hasGuestPass };
  const place = { communityId: community.id, idPrefix: userKey(community.platform, ''), now: ctx.clock() };
  return {
    // The same list in whatever order its parameters came.
    list: `members:${JSON.stringify([community.id, order, search, roleIds, roleMatch, hasWallet, hasGuestPass])}`,
    read: (after: readonly string[] | undefined, limit: number) =>
      selectFound(ctx.db.system, place, filter, order, after, limit),
    cursorOf: (member: FoundMember) => cursorOf(order, member),
  };
}

/** A name without what stands before names on the platforms. */
function plainSearch(search: string | undefined): string | undefined {
  const plain = search?.trim().replace(/^(?:@|\/?u\/)/, '');
  return plain === '' ? undefined : plain;
}

/** Members prove wallets to this server, not to admins: whoever may not see an address does not find it either. */
async function findByWallet(
  { db }: Pick<Context, 'db'>,
  { id }: CommunityRow,
  search: string | undefined,
  userId: string | undefined,
): Promise<string[]> {
  if (search === undefined || search.length < leastOfAddress) return [];
  return selectByAddressPart(db.system, id, search, { userId, limit: mostByAddress });
}

export function seesEveryAddress(actor: Actor): boolean {
  return actor.kind === 'admin' || actor.kind === 'system';
}

/** Members as admins see them, with the names of their roles. */
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
