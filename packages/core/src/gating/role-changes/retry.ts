import { AppError } from '@latchkey/kernel';
import type { CommunityRow } from '../../communities/community/index.ts';
import type { Context } from '../../shared/context.ts';
import { retryBreakers } from './breaker-queries.ts';
import { lockCommunity, moveChangeSet } from './change-set-queries.ts';
import { ownChangeSet } from './own-change-set.ts';
import { reconcileNow } from './preview.ts';
import { followsFromRules, ownCauses } from './rule-items.ts';
import { refuseInShadow } from './shadow/guard.ts';
import { pairKey } from './suppression-queries.ts';
import type { ChangeSetRow } from './tables.ts';
import { wakeWriter } from './wake.ts';
import { finishChangeSets, reviveItems, selectItemsOf } from './write-queries.ts';

/**
 * Tries a failed change set again. What waits because the platform refused it is tried at once; what was given up after several
 * tries is put back if a look at its members says that it is still wanted.
 */
export async function retryChangeSet(ctx: Context, changeSetId: string): Promise<void> {
  const { changeSet, community } = await ownChangeSet(ctx, changeSetId);
  if (changeSet.status !== 'failed') throw notFailed(changeSet);
  if (changeSet.cause === ownCauses.join)
    throw new AppError('STATE_CONFLICT', 'A request to join is answered again by itself, as long as it is open.');
  const items = await selectItemsOf(ctx.db.system, [changeSet.id]);
  const wanted = await findWanted(ctx, community, changeSet, items);
  await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    await refuseInShadow(tx, community.id);
    const changes = { status: 'approved' as const, finished_at: null, note: null };
    if (!(await moveChangeSet(tx, changeSet.id, ['failed'], changes))) throw notFailed(changeSet);
    await reviveItems(tx, changeSet.id, wanted);
    const waiting = items.filter(({ state }) => state === 'pending' || state === 'failed');
    await retryBreakers(tx, community.id, [...new Set(waiting.map((item) => item.role_id))]);
    await finishChangeSets(tx, community.id, ctx.clock());
    await wakeWriter(tx, community.id);
  });
}

type Item = Awaited<ReturnType<typeof selectItemsOf>>[number];

/** Of the items that were given up, those that are to be written still. */
async function findWanted(
  ctx: Context,
  community: CommunityRow,
  { cause }: ChangeSetRow,
  items: readonly Item[],
): Promise<readonly Item[]> {
  const failed = items.filter(({ state }) => state === 'failed');
  if (failed.length === 0 || !followsFromRules(cause)) return failed;
  const userIds = [...new Set(failed.map((item) => item.user_id))];
  const { members } = await reconcileNow(ctx, community, userIds, { liftSuppressions: false });
  const changes = members.flatMap((member) => member.changes);
  const asked = new Set(changes.map((change) => `${pairKey(change)}/${change.action}`));
  return failed.filter((item) => asked.has(`${item.user_id}/${item.role_id}/${item.action}`));
}

function notFailed({ status }: ChangeSetRow): AppError {
  return new AppError('STATE_CONFLICT', `Only a failed change set can be retried; this one is ${status}.`);
}
