import type { Tx } from '@latchkey/db';

/** What a user was shown and has not approved yet. */
export interface ApprovalRow {
  user_id: string;
  client_id: string;
  digest: string;
  created_at: Date;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    hosted_wallet_approvals: ApprovalRow;
  }
}

type ApprovalKey = Pick<ApprovalRow, 'user_id' | 'client_id' | 'digest'>;

/** How much of one application waits for a user's approval; what has waited too long is removed. */
export async function countApprovals(
  tx: Tx,
  { user_id: userId, client_id: clientId }: Omit<ApprovalKey, 'digest'>,
  now: Date,
): Promise<number> {
  await tx.deleteFrom('hosted_wallet_approvals').where('user_id', '=', userId).where('expires_at', '<=', now).execute();
  const { count } = await tx
    .selectFrom('hosted_wallet_approvals')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', userId)
    .where('client_id', '=', clientId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Announces anew what was announced before. */
export async function upsertApproval(tx: Tx, row: ApprovalRow): Promise<void> {
  const { created_at, expires_at } = row;
  await tx
    .insertInto('hosted_wallet_approvals')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'client_id', 'digest']).doUpdateSet({ created_at, expires_at }),
    )
    .execute();
}

export async function findApproval(tx: Tx, key: ApprovalKey, now: Date): Promise<boolean> {
  const row = await tx
    .selectFrom('hosted_wallet_approvals')
    .select('digest')
    .where('user_id', '=', key.user_id)
    .where('client_id', '=', key.client_id)
    .where('digest', '=', key.digest)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteApproval(tx: Tx, key: ApprovalKey): Promise<boolean> {
  const result = await tx
    .deleteFrom('hosted_wallet_approvals')
    .where('user_id', '=', key.user_id)
    .where('client_id', '=', key.client_id)
    .where('digest', '=', key.digest)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}
