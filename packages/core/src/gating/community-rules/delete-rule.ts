import type { Tx } from '@latchkey/db';
import { AppError, notFound } from '@latchkey/kernel';
import { lockOwnCommunity } from '../../communities/community-records/index.ts';
import { refuseLocked } from '../../communities/managed-rules/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import {
  type CommunityRuleRow,
  deleteRule,
  endRetirement,
  retireRole,
  selectRules,
} from '../../communities/rule-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { refuseBroken } from '../rule-assertions/index.ts';
import { compositionOf, type RoleComposition, readSavedRule } from '../rules/index.ts';
import { recordRuleChange } from './change-rules.ts';

type DeleteContext = Pick<Context, 'actor' | 'clock' | 'random' | 'tx'>;

/** What happens to members' roles when a rule is deleted. */
export const roleChoices = ['keep', 'take'] as const;
export type RoleChoice = (typeof roleChoices)[number];

/** Removes a rule. Members keep its role, unless another rule decides it. */
export async function removeRule(ctx: DeleteContext, { id, tpcId }: { id: string; tpcId: string }): Promise<void> {
  await ctx.tx(async (tx) => {
    const { row } = await removeRuleIn(ctx, tx, { id, ruleId: tpcId, roles: 'keep' });
    await refuseLocked(tx, row.community_id);
    await refuseBroken(tx, row.community_id);
  });
}

interface Deletion {
  id: string;
  ruleId: string;
  roles: RoleChoice;
}

/**
 * Removes a rule and decides about its role: members keep it, or members who have it only because of the rule lose it.
 * Returns the id of the entry in the rule history, which the resulting change sets refer to.
 */
export async function removeRuleWithChoice(ctx: DeleteContext, deletion: Deletion): Promise<string> {
  return ctx.tx(async (tx) => {
    const { row, roleId, changeId } = await removeRuleIn(ctx, tx, deletion);
    await refuseLocked(tx, row.community_id);
    if (deletion.roles === 'keep') await refuseIfOthersDecide(tx, row, roleId);
    await refuseBroken(tx, row.community_id);
    return changeId;
  });
}

/** The same in an open transaction, without a check of other rules. */
export async function removeRuleIn(
  ctx: Pick<Context, 'actor' | 'clock' | 'random'>,
  tx: Tx,
  { id, ruleId, roles }: Deletion,
): Promise<{ row: CommunityRuleRow; roleId: string; changeId: string }> {
  const community = await lockOwnCommunity(tx, id);
  const row = await deleteRule(tx, community.id, ruleId);
  if (row === undefined) throw notFound('rule');
  const changeId = (await recordRuleChange(ctx, tx, { before: row })) ?? '';
  const roleId = roleGivenBy(row);
  const roleIds = [...new Set([row.role_id, roleId])];
  // The latest decision about a role wins.
  if (roles === 'keep') await endRetirement(tx, community.id, roleIds);
  else if (compositionIn(row)?.action !== 'remove') await retireRole(tx, community.id, roleId, ctx.clock());
  await enqueueReconcile(tx, {
    communityId: community.id,
    members: '*',
    cause: 'rule',
    roleIds,
    ruleChangeIds: [changeId],
  });
  return { row, roleId, changeId };
}

/** The role that a rule decides. */
export function roleGivenBy(row: Pick<CommunityRuleRow, 'role_id' | 'definition'>): string {
  return compositionIn(row)?.roleId ?? row.role_id;
}

function compositionIn({ definition }: Pick<CommunityRuleRow, 'definition'>): RoleComposition | undefined {
  try {
    return compositionOf(readSavedRule(definition));
  } catch (error) {
    // A rule that can no longer be parsed can still be deleted.
    if (error instanceof AppError) return undefined;
    throw error;
  }
}

async function refuseIfOthersDecide(tx: Tx, { community_id }: CommunityRuleRow, roleId: string): Promise<void> {
  const others = await selectRules(tx, community_id);
  const other = others.find((row) => row.role_id === roleId && compositionIn(row) === undefined);
  if (other === undefined) return;
  throw new AppError(
    'STATE_CONFLICT',
    `Another rule gives the same role (${other.id}) and decides which members keep it. Delete this rule with roles=take, or delete the other rule first.`,
  );
}
