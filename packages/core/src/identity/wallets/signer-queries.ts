import type { Sql, Tx } from '@latchkey/db';
import type { WalletRow } from './queries.ts';

/** Lists links whose signer is not the linked address, least recently checked first. */
export function selectDueSigners(sql: Sql, checkedBefore: Date, limit: number): Promise<WalletRow[]> {
  return sql
    .selectFrom('wallet_connections')
    .selectAll()
    .where('signer_address', 'is not', null)
    .where('contract_chain', 'is not', null)
    .where((eb) => eb.or([eb('signer_checked_at', 'is', null), eb('signer_checked_at', '<=', checkedBefore)]))
    .orderBy('signer_checked_at', (order) => order.asc().nullsFirst())
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function markSignersChecked(sql: Sql, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  await sql
    .updateTable('wallet_connections')
    .set({ signer_checked_at: at })
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .execute();
}

/** Returns false if the link is gone or has another signer by now. */
export async function deleteSignedLink(tx: Tx, id: string, signer: string | null): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('wallet_connections')
    .where('id', '=', id)
    .where('signer_address', '=', signer)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/**
 * Records that another signer has just signed for a linked address: whether the previous one still may no longer
 * matters.
 */
export async function replaceSigner(
  tx: Tx,
  link: Pick<WalletRow, 'user_id' | 'namespace' | 'address' | 'contract_chain' | 'signer_address' | 'contract'>,
): Promise<void> {
  await tx
    .updateTable('wallet_connections')
    .set({ signer_address: link.signer_address, contract: link.contract, signer_checked_at: null })
    .where('user_id', '=', link.user_id)
    .where('namespace', '=', link.namespace)
    .where('address', '=', link.address)
    .where('contract_chain', '=', link.contract_chain)
    .execute();
}
