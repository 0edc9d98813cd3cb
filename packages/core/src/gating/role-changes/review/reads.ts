import { sql } from '@latchkey/db';
import { notFound, type Page } from '@latchkey/kernel';
import { administersCommunity, ownCommunity } from '../../../communities/access/index.ts';
import { readPlatformRoles } from '../../../communities/community/index.ts';
import { type CommunityRow, selectCommunity } from '../../../communities/community-records/index.ts';
import type { Context } from '../../../shared/context.ts';
import { type PageRequest, paginate } from '../../../shared/paging.ts';
import { type RoleBreaker, selectBreakers } from '../applying/breaker-queries.ts';
import type { RoleAction } from '../planning/change-set.ts';
import { type ItemFilter, listItems, selectChangeSet, selectChangeSets } from '../planning/change-set-queries.ts';
import type { ChangeSetItemRow, ChangeSetRow, ChangeSetStatus, DropReason, ItemState } from '../tables.ts';
import { withCurrentNotes } from './held-now.ts';
import '../tables.ts';

/** Returns a change set of a community that the caller administers. For any other caller it is not found. */
export async function ownChangeSet(
  ctx: Context,
  changeSetId: string,
): Promise<{ changeSet: ChangeSetRow; community: CommunityRow }> {
  const changeSet = await selectChangeSet(ctx.db.system, changeSetId);
  const community = changeSet && (await selectCommunity(ctx.db.system, changeSet.community_id));
  if (changeSet === undefined || community === undefined || !(await administersCommunity(ctx, community.id)))
    throw notFound('role changes');
  return { changeSet, community };
}

/** The same, within the community that a request names: a change set of another community is not found there. */
export async function ownChangeSetOf(
  ctx: Context,
  communityId: string,
  changeSetId: string,
): ReturnType<typeof ownChangeSet> {
  const { id } = await ownCommunity(ctx, communityId);
  const found = await ownChangeSet(ctx, changeSetId);
  if (found.community.id !== id) throw notFound('role changes');
  return found;
}

/** Returns the change sets of a community, newest first: all of them, or those of one status. */
export async function listChangeSets(
  ctx: Context,
  communityId: string,
  { status, ...request }: PageRequest & { status?: ChangeSetStatus } = {},
): Promise<Page<ChangeSetRow>> {
  const { id } = await ownCommunity(ctx, communityId);
  const page = await paginate(ctx, request, {
    list: `change-sets:${id}:${status ?? ''}`,
    read: (after, limit) => selectChangeSets(ctx.db.system, id, after, limit, status),
    cursorOf: (changeSet) => [changeSet.created_at.toISOString(), changeSet.id],
  });
  return { ...page, items: await withCurrentNotes(ctx, page.items) };
}

export interface ChangeSetWithItems {
  changeSet: ChangeSetRow;
  items: Page<
    Pick<
      ChangeSetItemRow,
      'user_id' | 'role_id' | 'action' | 'state' | 'reason' | 'blocks' | 'last_error' | 'drop_reason'
    >
  >;
}

/** Returns a change set and a page of its changes: who gains, who loses, why, and the state of each. */
export async function getChangeSet(
  ctx: Context,
  changeSetId: string,
  { search, ...request }: PageRequest & { search?: string | undefined } = {},
): Promise<ChangeSetWithItems> {
  const own = await ownChangeSet(ctx, changeSetId);
  const [changeSet = own.changeSet] = await withCurrentNotes(ctx, [own.changeSet]);
  const filter = await readFilter(ctx, own.community, search);
  const items = await paginate(ctx, request, {
    list: `change-set-items:${JSON.stringify([changeSet.id, filter?.words])}`,
    read: (after, limit) => listItems(ctx.db.system, changeSet.id, after, limit, filter),
    cursorOf: (item) => [item.user_id, item.role_id],
  });
  return { changeSet, items };
}

/** What a search means here: names of roles are known to the platform only. */
async function readFilter(
  ctx: Context,
  community: CommunityRow,
  search: string | undefined,
): Promise<ItemFilter | undefined> {
  const words = search?.trim().toLowerCase() ?? '';
  if (words === '') return undefined;
  const roles = await readPlatformRoles(ctx, community);
  const isNamed = ({ name }: { name: string }) => name.toLowerCase().includes(words);
  return { communityId: community.id, words, roleIds: [...roles].flatMap(([id, role]) => (isNamed(role) ? [id] : [])) };
}

/** Returns what blocks roles from being written until an admin fixes it on the platform. */
export async function listBlockedRoles(ctx: Context, communityId: string): Promise<RoleBreaker[]> {
  return selectBreakers(ctx.db.system, (await ownCommunity(ctx, communityId)).id);
}

/** What a change set does with one role: how many members it affects, and how many of them are waiting or written. */
export interface ChangeSetShare {
  roleId: string;
  action: RoleAction;
  members: number;
  /** Held for approval, pending, or being written. */
  waiting: number;
  /** Recorded in the ledger. */
  written: number;
}

/** Counts what a change set changes, role by role. */
export async function summarizeChangeSet(ctx: Context, changeSetId: string): Promise<ChangeSetShare[]> {
  const { changeSet } = await ownChangeSet(ctx, changeSetId);
  const { rows } = await sql<ChangeSetShare>`
    select role_id as "roleId", action, count(*) as members,
      count(*) filter (where state in ('planned', 'pending', 'sent')) as waiting,
      count(*) filter (where state = 'confirmed') as written
    from change_set_items where change_set_id = ${changeSet.id}
    group by role_id, action order by count(*) desc, role_id, action`.execute(ctx.db.system);
  return rows;
}

/** The outcome of a change set's changes, besides those in the ledger. */
export interface ChangeSetOutcome {
  /** Pending, or held for approval. */
  waiting: number;
  dropped: number;
  /** The most frequent first. */
  dropReasons: { reason: DropReason; changes: number }[];
  failed: number;
  /** Of members who left. */
  gone: number;
}

const endedStatuses: readonly ChangeSetStatus[] = ['done', 'dropped', 'undone', 'rejected'];

/** Returns the outcomes of change sets, by id. The caller has already checked access to the rows. */
export async function readOutcomes(
  { db }: Pick<Context, 'db'>,
  changeSets: readonly ChangeSetRow[],
): Promise<(changeSet: ChangeSetRow) => ChangeSetOutcome> {
  const ids = changeSets.map(({ id }) => id);
  const { rows } = await sql<{
    change_set_id: string;
    state: ItemState;
    drop_reason: DropReason | null;
    changes: number;
  }>`
    select change_set_id, state, drop_reason, count(*) as changes from change_set_items
    where change_set_id = any(${ids}::text[]) and state in ('dropped', 'failed', 'gone')
    group by change_set_id, state, drop_reason order by changes desc, drop_reason`.execute(db.system);
  const byId = Map.groupBy(rows, ({ change_set_id }) => change_set_id);
  return ({ id, status, grants, revokes, written_grants, written_revokes }) => {
    const ended = byId.get(id) ?? [];
    const sum = (state: ItemState) =>
      ended.filter((row) => row.state === state).reduce((total, { changes }) => total + changes, 0);
    const [dropped, failed, gone] = [sum('dropped'), sum('failed'), sum('gone')];
    const left = grants + revokes - written_grants - written_revokes - dropped - failed - gone;
    return {
      waiting: endedStatuses.includes(status) ? 0 : Math.max(0, left),
      dropped,
      dropReasons: ended.flatMap(({ drop_reason: reason, changes }) => (reason === null ? [] : [{ reason, changes }])),
      failed,
      gone,
    };
  };
}
