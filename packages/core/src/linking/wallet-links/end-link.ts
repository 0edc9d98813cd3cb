import {
  deleteSignedLink,
  lockWallet,
  selectCoHolders,
  type WalletRow,
  type WalletsChanged,
} from '../../identity/wallets/index.ts';
import { auditOf, recordAudit } from '../../services/audit/index.ts';
import type { Context } from '../../shared/context.ts';

/**
 * Ends a link whose signer no longer controls the address. Returns false if it is gone or has another signer by now.
 */
export function endLink(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'origin'>,
  { id, user_id, namespace, address, signer_address }: WalletRow,
  changed: WalletsChanged,
): Promise<boolean> {
  return ctx.db.transaction('system', async (tx) => {
    await lockWallet(tx, namespace, address);
    const others = await selectCoHolders(tx, user_id, [address]);
    if (!(await deleteSignedLink(tx, id, signer_address))) return false;
    await changed(tx, user_id, { gone: [address] });
    await recordAudit(
      tx,
      auditOf(ctx, 'wallet.unlink', { subject: user_id, target: id, details: { signer: 'removed' } }),
    );
    for (const other of others) await changed(tx, other);
    return true;
  });
}
