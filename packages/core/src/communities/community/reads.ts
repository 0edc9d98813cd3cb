import type { Sql, Tx } from '@latchkey/db';
import { AppError, type Page, principalId } from '@latchkey/kernel';
import type { PlatformName } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import {
  administeredBy,
  getReadableCommunity,
  readableBy,
  readingTenant,
  selectAdminIdsOf,
  tenantReading,
} from '../access/index.ts';
import { selectActivePlans } from '../community-plans/index.ts';
import {
  type CommunityRow,
  getCommunity,
  listCommunities,
  selectCommunitiesOfMember,
} from '../community-records/index.ts';
import { countPresent } from '../memberships/index.ts';
import { selectRulesOf, toRule } from '../rule-records/index.ts';
import { countInteractions } from '../usage/index.ts';
import { type Community, lists, type Stats, toCommunity } from './community.ts';

export type ReadContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'tx'>;

const includable: readonly string[] = [...lists, 'tpcs'];
/** How many communities of one user are returned where there are no pages. */
const maxOfUser = 100;

/**
 * Returns the communities that the caller administers or has access to; all of them for the operator and the operator's
 * apps.
 */
export async function findCommunities(
  ctx: ReadContext,
  { include, ...request }: PageRequest & { include?: string | undefined },
): Promise<Page<Community>> {
  const parts = partsOf(include);
  const tenant = await readingTenant(ctx);
  const clientId = ctx.actor.kind === 'client' ? ctx.actor.client.id : undefined;
  const filter = tenant === 'system' ? undefined : readableBy(tenant.owner, clientId);
  // An app also sees communities that its creator does not, so only the filter decides.
  return ctx.db.transaction(clientId === undefined ? tenant : 'system', async (tx) => {
    const page = await paginate(ctx, request, {
      list: 'communities',
      read: (after, limit) => listCommunities(tx, { filter, after: after?.[0], limit }),
      cursorOf: ({ id }) => [id],
    });
    return { ...page, items: await describe(ctx, tx, page.items, parts) };
  });
}

export async function getCommunityById(
  ctx: ReadContext,
  { id, include }: { id: string; include?: string | undefined },
): Promise<Community> {
  const parts = partsOf(include);
  return ctx.db.transaction(await tenantReading(ctx, id), async (tx) => {
    const row = await getCommunity(tx, id);
    const [community = toCommunity(row)] = await describe(ctx, tx, [row], parts);
    return community;
  });
}

/** The first communities that a user administers, on one platform or on all, with their rules. */
export function communitiesOfAdmin(ctx: ReadContext, userId: string, platform?: PlatformName): Promise<Community[]> {
  return ctx.tx(async (tx) =>
    describe(ctx, tx, await listCommunities(tx, { filter: administeredBy(userId), limit: maxOfUser, platform }), [
      'tpcs',
    ]),
  );
}

/** The first communities that a user is a member of, on one platform or on all. */
export function communitiesOfMember(ctx: ReadContext, userId: string, platform?: PlatformName): Promise<Community[]> {
  return ctx.tx(async (tx) =>
    describe(ctx, tx, await selectCommunitiesOfMember(tx, userId, maxOfUser, { platform }), []),
  );
}

function partsOf(include: string | undefined): string[] {
  const parts = (include ?? '').split(',').map((part) => part.trim());
  const named = parts.filter((part) => part !== '');
  const unknown = named.find((part) => !includable.includes(part));
  if (unknown !== undefined)
    throw new AppError(
      'INVALID_PARAMETER_VALUE',
      `include must be a comma-separated list of ${includable.join(', ')}.`,
      {
        details: { parameter: 'include' },
      },
    );
  return named;
}

/** Adds to each community what was requested, as far as the caller may see it. */
export async function describe(
  ctx: ReadContext,
  tx: Tx,
  rows: readonly CommunityRow[],
  parts: readonly string[],
): Promise<Community[]> {
  const ids = rows.map(({ id }) => id);
  const admins = await selectAdminIdsOf(ctx.db.system, ids);
  const plans = await selectActivePlans(ctx.db.system, ids, ctx.clock());
  const rules = parts.includes('tpcs') ? await rulesOf(tx, ids) : undefined;
  const caller = principalId(ctx.actor);
  const seesAll = ctx.actor.kind !== 'user';
  return rows.map((row) => {
    const adminIds = admins.get(row.id) ?? [];
    const isAdmin = seesAll || adminIds.includes(caller);
    return toCommunity(row, {
      lists: parts,
      ...(rules !== undefined && { rules: rules.get(row.id) ?? [] }),
      ...(isAdmin && { adminIds, planIds: plans.get(row.id) ?? [] }),
    });
  });
}

async function rulesOf(sql: Sql, ids: readonly string[]) {
  const rows = await selectRulesOf(sql, ids);
  const byCommunity = Map.groupBy(rows, (row) => row.community_id);
  return new Map([...byCommunity].map(([id, rules]) => [id, rules.map((row) => toRule(row))]));
}

/** Returns statistics based on observed activity. */
export async function getStats(ctx: Pick<Context, 'actor' | 'clock' | 'db'>, { id }: { id: string }): Promise<Stats> {
  const community = await getReadableCommunity(ctx, id);
  // A member sees only their own row of the underlying tables, but may know the totals.
  const db = ctx.db.system;
  const memberCount = (await countPresent(db, [community.id])).get(community.id) ?? 0;
  const now = ctx.clock().getTime();
  const [dayAgo, twoDaysAgo] = [new Date(now - dayMs), new Date(now - 2 * dayMs)];
  const messagesAllTime = await countInteractions(db, community.id, 'message');
  if (messagesAllTime === 0) return { memberCount };
  const messagesInLastDay = await countInteractions(db, community.id, 'message', { from: dayAgo });
  const before = await countInteractions(db, community.id, 'message', { from: twoDaysAgo, to: dayAgo });
  return { memberCount, messagesAllTime, messagesInLastDay, messagesDailyGrowth: messagesInLastDay - before };
}

const dayMs = 24 * 60 * 60 * 1000;
