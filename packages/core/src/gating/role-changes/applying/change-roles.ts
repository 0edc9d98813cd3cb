import { addSeconds } from '@latchkey/kernel';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import type { Context } from '../../../shared/context.ts';
import type { RoleChange } from '../planning/change-set.ts';
import { dropItems, lockCommunity, selectOpenItems } from '../planning/change-set-queries.ts';
import { putChangeSet } from '../planning/make-change-set.ts';
import { selectShadowOn, shadowAdvice } from '../shadow/queries.ts';
import { retryBreakers, selectBreakers } from './breaker-queries.ts';
import { claimSeconds, type WriteContext } from './write.ts';
import { writeChangeSetNow } from './write-community.ts';
import { failWaiting, ownCauses, selectItemsOf } from './write-queries.ts';

/** Changes that do not come from rules: a guest pass, or the response to a join request. */
export interface GivenChanges {
  cause: 'guest' | 'join';
  changes: readonly RoleChange[];
  /** Changes of the same cause that may still be pending and are no longer wanted. */
  unwanted?: readonly RoleChange[];
  /** Who made the decision; absent if the rules did. */
  decidedBy?: string;
  /** If true, changes that cannot be written now are written later. Otherwise they fail, and the caller must retry. */
  mayWait: boolean;
}

export interface ChangesMade {
  /** Why some changes were not written; absent if all were. */
  problem?: string;
  /** The member is not in the community. */
  isGone: boolean;
}

/**
 * Creates a change set from changes that were decided elsewhere and writes it immediately, like any other change set.
 */
export async function changeRoles(
  ctx: WriteContext & Pick<Context, 'hosts'>,
  community: CommunityRow,
  { cause, changes, unwanted = [], decidedBy, mayWait }: GivenChanges,
): Promise<ChangesMade> {
  const host = ctx.hosts[community.platform];
  if (host === undefined)
    return { isGone: false, problem: 'The community’s platform is not connected to this server.' };
  if ((await selectShadowOn(ctx.db.system, community.id)) !== undefined)
    return { isGone: false, problem: shadowAdvice };
  const changeSetIds = await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    const userIds = [...new Set([...changes, ...unwanted].map((change) => change.userId))];
    const open = (await selectOpenItems(tx, community.id, userIds)).filter((item) => item.state === 'pending');
    await dropItems(
      tx,
      community.id,
      open.filter((item) => item.cause === ownCauses[cause] && unwanted.some(isSame(item))),
    );
    const waiting = open.filter((item) => changes.some(isSame(item)));
    const fresh = changes.filter((change) => !waiting.some((item) => isSame(item)(change)));
    // The caller may know that the cause of a breaker is fixed: one retry finds out.
    if (changes.length > 0) await retryBreakers(tx, community.id, [...new Set(changes.map((change) => change.roleId))]);
    const decision = decidedBy === undefined ? {} : { decided_by: decidedBy, decided_at: ctx.clock() };
    const reserved = mayWait ? {} : { reservedUntil: addSeconds(ctx.clock(), claimSeconds) };
    const changeSet = { community, cause: ownCauses[cause], changes: fresh, unknowns: 0, isUrgent: true, ...reserved };
    const made = fresh.length === 0 ? [] : [(await putChangeSet(ctx, tx, changeSet, 'approved', decision)).id];
    return [...new Set([...made, ...waiting.map((item) => item.change_set_id)])];
  });
  for (const changeSetId of changeSetIds)
    await writeChangeSetNow(ctx, community, host, changeSetId, { isReserved: !mayWait });
  return evaluate(ctx, community, changeSetIds, changes, mayWait);
}

function isSame(item: { user_id: string; role_id: string; action: string }) {
  return ({ userId, roleId, action }: RoleChange) =>
    item.user_id === userId && item.role_id === roleId && item.action === action;
}

async function evaluate(
  ctx: WriteContext,
  { id }: CommunityRow,
  changeSetIds: readonly string[],
  changes: readonly RoleChange[],
  mayWait: boolean,
): Promise<ChangesMade> {
  const items = (await selectItemsOf(ctx.db.system, changeSetIds)).filter((item) => changes.some(isSame(item)));
  const isGone = items.some(({ state }) => state === 'gone');
  const left = items.filter(({ state }) => state === 'pending' || state === 'sent' || state === 'failed');
  if (left.length === 0) return { isGone };
  const breakers = await selectBreakers(ctx.db.system, id);
  const adviceOf = (item: (typeof left)[number]) =>
    item.last_error ?? breakers.find(({ roleId }) => roleId === undefined || roleId === item.role_id)?.advice;
  const problems = [...new Set(left.map((item) => adviceOf(item) ?? 'The change is in progress.'))];
  const problem = problems.join(' ');
  if (!mayWait) await ctx.db.transaction('system', (tx) => failWaiting(tx, id, changeSetIds, problem, ctx.clock()));
  return { isGone, problem };
}
