import type { Sql, Tx } from '@latchkey/db';
import { type AuditAction, principalId } from '@latchkey/kernel';
import { auditOf, recordAudit } from '../../services/audit/index.ts';
import type { Context } from '../../shared/context.ts';
import { selectCoHolders } from './holders.ts';
import type { WalletRow } from './queries.ts';
import type { WalletsChanged } from './wallets-changed.ts';

/** The account of a service that a user has linked; there is one at most. */
export function findAccountOf(sql: Sql, userId: string, namespace: string): Promise<WalletRow | undefined> {
  return sql
    .selectFrom('wallet_connections')
    .selectAll()
    .where('user_id', '=', userId)
    .where('namespace', '=', namespace)
    .executeTakeFirst();
}

/** Names of accounts change; the newest that was proven is shown. */
export async function setAccountName(
  tx: Tx,
  { user_id, namespace, address, account_name }: Pick<WalletRow, 'user_id' | 'namespace' | 'address' | 'account_name'>,
): Promise<void> {
  await tx
    .updateTable('wallet_connections')
    .set({ account_name })
    .where('user_id', '=', user_id)
    .where('namespace', '=', namespace)
    .where('address', '=', address)
    .execute();
}

/** Takes the account of a service from the caller. Answers false when there is none. */
export function unlinkAccount(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'origin'>,
  namespace: string,
  action: AuditAction,
  changed: WalletsChanged,
): Promise<boolean> {
  const userId = principalId(ctx.actor);
  return ctx.db.transaction('system', async (tx) => {
    const linked = await findAccountOf(tx, userId, namespace);
    if (linked === undefined) return false;
    const others = await selectCoHolders(tx, userId, [linked.address]);
    const { numDeletedRows } = await tx.deleteFrom('wallet_connections').where('id', '=', linked.id).executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    await changed(tx, userId, { gone: [linked.address] });
    await recordAudit(tx, auditOf(ctx, action, { target: linked.id }));
    for (const other of others) await changed(tx, other);
    return true;
  });
}

/** Removes everything that a user has linked, for erasure. */
export async function deleteLinksOf(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('wallet_connections').where('user_id', '=', userId).execute();
}
