import type { Page } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { type RoleBreaker, selectBreakers } from './breaker-queries.ts';
import { listItems, selectChangeSets } from './change-set-queries.ts';
import { ownChangeSet, ownCommunity } from './own-change-set.ts';
import type { ChangeSetItemRow, ChangeSetRow, ChangeSetStatus } from './tables.ts';

/** The change sets of a community, newest first: all of them, or those of one status. */
export async function listChangeSets(
  ctx: Context,
  communityId: string,
  { status, ...request }: PageRequest & { status?: ChangeSetStatus } = {},
): Promise<Page<ChangeSetRow>> {
  const { id } = await ownCommunity(ctx, communityId);
  return paginate(ctx, request, {
    list: `change-sets:${id}:${status ?? ''}`,
    read: (after, limit) => selectChangeSets(ctx.db.system, id, after, limit, status),
    cursorOf: (changeSet) => [changeSet.created_at.toISOString(), changeSet.id],
  });
}

export interface ChangeSetWithItems {
  changeSet: ChangeSetRow;
  items: Page<Pick<ChangeSetItemRow, 'user_id' | 'role_id' | 'action' | 'state' | 'reason' | 'blocks' | 'last_error'>>;
}

/** A change set and a page of what it changes: who gains, who loses, why, and how far it is. */
export async function getChangeSet(
  ctx: Context,
  changeSetId: string,
  request: PageRequest = {},
): Promise<ChangeSetWithItems> {
  const { changeSet } = await ownChangeSet(ctx, changeSetId);
  const items = await paginate(ctx, request, {
    list: `change-set-items:${changeSet.id}`,
    read: (after, limit) => listItems(ctx.db.system, changeSet.id, after, limit),
    cursorOf: (item) => [item.user_id, item.role_id],
  });
  return { changeSet, items };
}

/** What keeps roles from being written, until a person changes it on the platform. */
export async function listBlockedRoles(ctx: Context, communityId: string): Promise<RoleBreaker[]> {
  return selectBreakers(ctx.db.system, (await ownCommunity(ctx, communityId)).id);
}
