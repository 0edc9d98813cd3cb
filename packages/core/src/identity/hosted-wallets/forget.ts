import { sql, type Tx } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';
import { deleteWallet } from './queries.ts';

/**
 * Erases a user's hosted wallet and its data: the key, what it signed, and the salt that could link the registry's
 * entry to them. This is permanent: what the wallet holds can never be moved again.
 */
export async function forgetHostedWallet(tx: Tx, userId: string): Promise<boolean> {
  // If no signer has ever run, there is no schema, and no key either.
  const { rows } = await sql<{ has: boolean }>`select to_regproc('signer.forget') is not null as has`.execute(tx);
  if (rows[0]?.has) await sql`select signer.forget(${userId})`.execute(tx);
  return deleteWallet(tx, userId);
}

export const hostedWalletsErasure: Erasure = {
  columns: ['hosted_wallets.user_id', 'hosted_wallets.address', 'hosted_wallet_approvals.user_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    await tx.deleteFrom('hosted_wallet_approvals').where('user_id', '=', userId).execute();
    await forgetHostedWallet(tx, userId);
  },
};
