import { notFound, op, type Page, pageOf, pageParams, T } from '@latchkey/kernel';
import { communityAdmin, ownCommunity } from '../../../communities/access/index.ts';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { communityParam } from '../../../shared/community-id.ts';
import type { Context } from '../../../shared/context.ts';
import { type PageRequest, paginate } from '../../../shared/paging.ts';
import { toLedgerEntry, toMemberRoles, whoAndWhat } from '../api/answers.ts';
import { readNames } from '../api/names.ts';
import { memberKey, momentOf, roleId, time, userId } from '../api/params.ts';
import { MemberRoles, RoleAtTime, RoleLedgerEntry } from '../api/shapes.ts';
import { reconcileNow } from '../planning/preview.ts';
import { selectSuppressed } from '../planning/suppression-queries.ts';
import type { LedgerRow } from '../tables.ts';
import { explainRole, listHoldersAt } from './explain.ts';
import { selectLedger } from './queries.ts';

const access = communityAdmin('communityId', 'role-manager');
const LedgerPage = pageOf(RoleLedgerEntry, 'RoleLedgerPage');

export const roleHistoryOperations = [
  op(
    'GET /latchkey/communities/{communityId}/role-ledger',
    {
      id: 'listRoleLedger',
      summary: 'List role changes',
      description:
        'Returns every role that Latchkey gave or removed in a community, newest first, with the change set and the reason. Filter by member, by role or by both. For community admins.',
      access,
      params: { communityId: communityParam, userId: T.Optional(userId), roleId: T.Optional(roleId), ...pageParams },
      returns: LedgerPage,
      paginated: 'token',
    },
    listLedger,
  ),
  op(
    'GET /latchkey/communities/{communityId}/roles/{roleId}/holders',
    {
      id: 'listRoleHolders',
      summary: 'List a role’s holders at a time',
      description:
        'Returns the members who had a role at a time, each with the entry that gave it. Covers only roles that Latchkey gave and removed, not roles changed manually on the platform. For community admins.',
      access,
      params: { communityId: communityParam, roleId, at: time, ...pageParams },
      returns: LedgerPage,
      paginated: 'token',
    },
    listHolders,
  ),
  op(
    'GET /latchkey/communities/{communityId}/members/{userId}/roles/{roleId}',
    {
      id: 'explainRoleAtTime',
      summary: 'Explain a member’s role at a time',
      description:
        'Returns whether a member had a role at a time, with the entry that gave or removed it: when, in which change set and why. Covers only roles that Latchkey gave and removed, not roles changed manually on the platform. For community admins.',
      access,
      params: { communityId: communityParam, userId, roleId, at: time },
      returns: RoleAtTime,
    },
    explainRoleAt,
  ),
  op(
    'GET /latchkey/communities/{communityId}/members/{userId}/roles',
    {
      id: 'explainMemberRoles',
      summary: 'Explain a member’s roles now',
      description:
        'Evaluates every rule for a member now and returns which roles they have, which they qualify for and why. Reads wallets and the platform while you wait; nothing is changed. For community admins.',
      access,
      params: { communityId: communityParam, userId },
      returns: MemberRoles,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    explainMember,
  ),
] as const;

interface InCommunity {
  communityId: string;
}

/** Returns granted and removed roles, newest first. */
export async function listLedger(
  ctx: Context,
  { communityId, userId, roleId, ...request }: InCommunity & { userId?: string; roleId?: string } & PageRequest,
): Promise<Page<RoleLedgerEntry>> {
  const community = await ownCommunity(ctx, communityId);
  const filter = { userId: userId === undefined ? undefined : memberKey(community, userId), roleId };
  const page = await paginate(ctx, request, {
    list: `role-ledger:${JSON.stringify([community.id, filter.userId ?? null, roleId ?? null])}`,
    read: (after, limit) => selectLedger(ctx.db.system, community.id, filter, after?.[0], limit),
    cursorOf: (entry) => [String(entry.id)],
  });
  return toEntries(ctx, community, page);
}

export async function listHolders(
  ctx: Context,
  { communityId, roleId, at, ...request }: InCommunity & { roleId: string; at?: string } & PageRequest,
): Promise<Page<RoleLedgerEntry>> {
  const community = await ownCommunity(ctx, communityId);
  const moment = at === undefined ? undefined : momentOf(at);
  const page = await listHoldersAt(ctx, { communityId: community.id, roleId, at: moment }, request);
  return toEntries(ctx, community, page);
}

async function toEntries(ctx: Context, community: CommunityRow, page: Page<LedgerRow>): Promise<Page<RoleLedgerEntry>> {
  if (page.items.length === 0) return { items: [] };
  const names = await readNames(
    ctx,
    community,
    page.items.map((entry) => entry.user_id),
  );
  return { ...page, items: page.items.map((entry) => toLedgerEntry(entry, names)) };
}

export async function explainRoleAt(
  ctx: Context,
  { communityId, userId, roleId, at }: InCommunity & { userId: string; roleId: string; at?: string },
): Promise<RoleAtTime> {
  const community = await ownCommunity(ctx, communityId);
  const member = memberKey(community, userId);
  const moment = at === undefined ? ctx.clock() : momentOf(at);
  const question = { communityId: community.id, userId: member, roleId, at: moment };
  const { had, entry } = await explainRole(ctx, question);
  const names = await readNames(ctx, community, [member]);
  return {
    ...whoAndWhat({ user_id: member, role_id: roleId }, names),
    time: moment.toISOString(),
    ...(entry !== undefined && { had, entry: toLedgerEntry(entry, names) }),
  };
}

/** Returns what every rule says about a member now, ignoring suppressions. */
export async function explainMember(
  ctx: Context,
  { communityId, userId }: InCommunity & { userId: string },
): Promise<MemberRoles> {
  const community = await ownCommunity(ctx, communityId);
  const wanted = memberKey(community, userId);
  const { members } = await reconcileNow(ctx, community, [wanted], { liftSuppressions: true });
  const [member] = members;
  if (member === undefined) throw notFound('member');
  const suppressed = await selectSuppressed(ctx.db.system, community.id, [wanted]);
  return toMemberRoles(member, suppressed, await readNames(ctx, community, [wanted]));
}
