import type { Sql, Tx } from '@latchkey/db';

/** One admin's approval of a held change set. */
export interface ApprovalRow {
  change_set_id: string;
  community_id: string;
  approver: string;
  approved_at: Date;
}

export function selectApprovals(db: Sql, changeSetId: string): Promise<ApprovalRow[]> {
  return db
    .selectFrom('change_set_approvals')
    .selectAll()
    .where('change_set_id', '=', changeSetId)
    .orderBy('approved_at')
    .execute();
}

export async function insertApproval(tx: Tx, approval: ApprovalRow): Promise<void> {
  await tx
    .insertInto('change_set_approvals')
    .values(approval)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
