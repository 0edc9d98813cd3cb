import type { Sql, Tx } from '@latchkey/db';

/** How manual changes of a role that a rule names are handled. */
export const manualChanges = ['correct', 'report', 'leave'] as const;
export type ManualChanges = (typeof manualChanges)[number];

export interface ApprovalPolicyRow {
  community_id: string;
  removal_percent: number | null;
  removal_count: number | null;
  removals_per_day: number | null;
  approvers: number;
  quiet_from: number | null;
  quiet_to: number | null;
  quiet_time_zone: string | null;
  manual_changes: ManualChanges | null;
}

export interface RoleApprovalPolicyRow {
  community_id: string;
  role_id: string;
  removal_percent: number | null;
  removal_count: number | null;
  removals_per_day: number | null;
  holds_grants: boolean;
  manual_changes: ManualChanges | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    approval_policies: ApprovalPolicyRow;
    role_approval_policies: RoleApprovalPolicyRow;
  }
}

export function selectPolicy(db: Sql, communityId: string): Promise<ApprovalPolicyRow | undefined> {
  return db.selectFrom('approval_policies').selectAll().where('community_id', '=', communityId).executeTakeFirst();
}

export function selectRolePolicies(db: Sql, communityId: string): Promise<RoleApprovalPolicyRow[]> {
  return db
    .selectFrom('role_approval_policies')
    .selectAll()
    .where('community_id', '=', communityId)
    .orderBy('role_id')
    .execute();
}

/** Replaces the policy of a community, including its settings for single roles. */
export async function replacePolicy(
  tx: Tx,
  policy: ApprovalPolicyRow,
  roles: readonly RoleApprovalPolicyRow[],
): Promise<void> {
  const { community_id: communityId, ...values } = policy;
  await tx
    .insertInto('approval_policies')
    .values(policy)
    .onConflict((conflict) => conflict.column('community_id').doUpdateSet(values))
    .execute();
  await tx.deleteFrom('role_approval_policies').where('community_id', '=', communityId).execute();
  if (roles.length > 0)
    await tx
      .insertInto('role_approval_policies')
      .values([...roles])
      .execute();
}
