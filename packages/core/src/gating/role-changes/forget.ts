import { type Sql, sql, type Tx } from '@latchkey/db';
import { communitiesOfUser } from '../../communities/memberships/index.ts';
import { queuedCount } from '../../communities/reconcile-queue/index.ts';
import { selectUnlinked } from '../../identity/wallets/index.ts';
import type { Erasure } from '../../shared/module.ts';
import { assetsInRulesOf, enqueueUser } from '../followers/index.ts';
import { forgetHoldingsIn } from '../holdings/index.ts';

/**
 * Queues a check of the roles that the removed wallets gave to the user, or kept from other users who linked the same
 * wallets.
 */
export const rolesErasure: Erasure = {
  columns: [],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, coHolders }) => {
    for (const concerned of [userId, ...coHolders]) await enqueueUser(tx, concerned, 'wallet');
  },
};

/**
 * Deletes a person's data from change sets. The ledger stays as the community's record of what was done, under a
 * pseudonym and without the wallets that were read.
 */
export const gatingErasure: Erasure = {
  columns: [
    'change_sets.decided_by',
    'change_set_approvals.approver',
    'change_set_comments.author',
    'change_set_items.user_id',
    'role_suppressions.user_id',
    'shadow_differences.user_id',
    'role_circuit_breakers.user_id',
    'role_ledger.user_id',
  ],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    await tx.deleteFrom('change_set_items').where('user_id', '=', userId).execute();
    await tx.deleteFrom('role_suppressions').where('user_id', '=', userId).execute();
    await tx.deleteFrom('shadow_differences').where('user_id', '=', userId).execute();
    await tx.deleteFrom('role_circuit_breakers').where('user_id', '=', userId).execute();
    await tx.deleteFrom('change_set_comments').where('author', '=', userId).execute();
    await tx.updateTable('change_set_approvals').set({ approver: pseudonym }).where('approver', '=', userId).execute();
    await tx.updateTable('change_sets').set({ decided_by: pseudonym }).where('decided_by', '=', userId).execute();
    await sql`
      update role_ledger set user_id = ${pseudonym}, reason = without_accounts(reason)
      where user_id = ${userId}`.execute(tx);
  },
};

/**
 * Removes wallets that a user no longer has, or no longer has in this community, from the stored reasons. The decisions
 * stay.
 */
export async function forgetReadings(
  tx: Tx,
  userId: string,
  addresses: readonly string[],
  communityId: string | undefined,
): Promise<void> {
  if (addresses.length === 0) return;
  const spelled = addresses.map((address) => address.toLowerCase());
  for (const table of ['role_ledger', 'change_set_items'])
    await sql`
      update ${sql.table(table)} set reason = without_accounts(reason)
      where user_id = ${userId} and community_id = coalesce(${communityId ?? null}, community_id) and exists (
        select from unnest(${spelled}::text[]) as a (address) where strpos(lower(reason::text), a.address) > 0
      )`.execute(tx);
  const assets = assetsInRulesOf(communitiesOfUser(userId, { includingLeft: true }));
  await forgetHoldingsIn(tx, assets, await selectUnlinked(tx, addresses));
}

/** Counts a person's open role work: checks that are due, and changes that are not written yet. */
export async function countOpenRoleWork(db: Sql, userId: string): Promise<{ waiting: number; inProgress: number }> {
  const { rows } = await sql<{ waiting: number; in_progress: number }>`
    select
      (${queuedCount(userId)})
        + (select count(*) from change_set_items i join change_sets p on p.id = i.change_set_id
           where i.user_id = ${userId} and i.state in ('planned', 'pending') and p.status <> 'previewed')
        as waiting,
      (select count(*) from change_set_items where user_id = ${userId} and state = 'sent') as in_progress`.execute(db);
  const [row] = rows;
  return { waiting: row?.waiting ?? 0, inProgress: row?.in_progress ?? 0 };
}
