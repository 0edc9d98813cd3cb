import { notFound } from '@latchkey/kernel';
import { administersCommunity, type CommunityRow, selectCommunity } from '../../communities/community/index.ts';
import type { Context } from '../../shared/context.ts';
import { selectChangeSet } from './change-set-queries.ts';
import type { ChangeSetRow } from './tables.ts';

/** A community that the caller looks after, by either of its ids. To everybody else it does not exist. */
export async function ownCommunity(ctx: Context, communityId: string): Promise<CommunityRow> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined || !(await administersCommunity(ctx, community.id))) throw notFound('community');
  return community;
}

/** A change set of a community that the caller looks after. To everybody else it does not exist. */
export async function ownChangeSet(
  ctx: Context,
  changeSetId: string,
): Promise<{ changeSet: ChangeSetRow; community: CommunityRow }> {
  const changeSet = await selectChangeSet(ctx.db.system, changeSetId);
  const community = changeSet && (await selectCommunity(ctx.db.system, changeSet.community_id));
  if (changeSet === undefined || community === undefined || !(await administersCommunity(ctx, community.id)))
    throw notFound('change set');
  return { changeSet, community };
}

/** The same, by the community that a request names: a change set of another community does not exist there. */
export async function ownChangeSetOf(
  ctx: Context,
  communityId: string,
  changeSetId: string,
): ReturnType<typeof ownChangeSet> {
  const { id } = await ownCommunity(ctx, communityId);
  const found = await ownChangeSet(ctx, changeSetId);
  if (found.community.id !== id) throw notFound('change set');
  return found;
}
