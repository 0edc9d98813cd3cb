import { principalId } from '@latchkey/kernel';
import { selectWallets } from '../../people/wallets/index.ts';
import { type ProposeContext, propose } from './propose.ts';
import type { TreasuryAction } from './records.ts';
import { invalid, readAddress } from './transfer.ts';

const mostWallets = 1_000;

/** Proposes to make one of the owner's own wallets the owner of the Safe. Only a wallet that they proved to have counts. */
export async function proposeHandOver(
  ctx: ProposeContext,
  { address, body }: { address: string; body: { newOwner: string } },
): Promise<TreasuryAction> {
  const newOwner = readAddress(ctx, 'newOwner', body.newOwner);
  const wallets = await selectWallets(ctx.db.system, principalId(ctx.actor), undefined, mostWallets);
  const isOwn = wallets.some(
    (wallet) => wallet.namespace === 'evm' && wallet.address === newOwner && wallet.signer_address === null,
  );
  if (!isOwn)
    throw invalid(
      'newOwner',
      'Link this wallet to your account first, so that you cannot lose the Safe by a typing mistake.',
    );
  return propose(ctx, address, {
    kind: 'hand-over',
    content: { newOwner },
    callOf: (safes, { safe_address, owner_address }) => safes.encodeOwnerChange(safe_address, owner_address, newOwner),
  });
}
