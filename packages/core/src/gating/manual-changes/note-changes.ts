import type { Tx } from '@latchkey/db';
import { addSeconds } from '@latchkey/kernel';
import type { RolesChanged } from '../../communities/members/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import type { Context } from '../../shared/context.ts';
import { readApprovalPolicy } from '../approval-policies/index.ts';
import { selectOwnWrites, selectRuledRoles } from '../role-changes/index.ts';
import { countManualChange } from './queries.ts';

/** The maximum delay of an event about our own write, or from before it. */
const ownWriteSeconds = 120;
const daySeconds = 24 * 60 * 60;

/**
 * Handles roles that a platform event shows as changed, by the policy of each role. What Latchkey is writing or has
 * just written is not a manual change. An event that contradicts such a write may be older than it: then the member is
 * checked if the policy is to correct changes, and nothing is reported.
 */
export async function noteManualChanges(
  ctx: Pick<Context, 'clock' | 'settings'>,
  tx: Tx,
  { community, userId, added, removed }: RolesChanged,
): Promise<void> {
  if (community.status !== 'active') return;
  const changes = [
    ...added.map((roleId) => ({ roleId, action: 'grant' as const })),
    ...removed.map((roleId) => ({ roleId, action: 'revoke' as const })),
  ];
  const policy = await readApprovalPolicy(ctx, tx, community.id);
  if (changes.every(({ roleId }) => policy.manualChangesOf(roleId) === 'leave')) return;
  const now = ctx.clock();
  const ruled = new Set(await selectRuledRoles(tx, community.id));
  const own = await selectOwnWrites(tx, community.id, userId, addSeconds(now, -ownWriteSeconds));
  const actionsOf = Map.groupBy(own, ({ role_id }) => role_id);
  let isToCheck = false;
  for (const { roleId, action } of changes) {
    const written = actionsOf.get(roleId) ?? [];
    if (!ruled.has(roleId) || written.some((write) => write.action === action)) continue;
    const wanted = policy.manualChangesOf(roleId);
    if (wanted === 'correct') isToCheck = true;
    if (wanted === 'report' && written.length === 0)
      await countManualChange(tx, { communityId: community.id, roleId, action }, now, addSeconds(now, -daySeconds));
  }
  if (isToCheck) await enqueueReconcile(tx, { communityId: community.id, members: [userId], cause: 'manual-change' });
}
