import type { Context } from '../../shared/context.ts';
import { type AskContext, askSigner } from '../signer/index.ts';
import { insertTreasury, selectTreasury, type TreasuryRow } from './queries.ts';
import { type Holder, saltNonceOf, signerUserOf } from './treasury.ts';

type MakeContext = AskContext & Pick<Context, 'evmWallets'>;

/**
 * Returns the wallet of a holder, and creates it if there is none: the signer creates the key, from which the address
 * follows. However often and concurrently this is called, there is one wallet.
 */
export async function makeTreasury(ctx: MakeContext, holder: Holder): Promise<TreasuryRow> {
  const known = await selectTreasury(ctx.db.system, holder);
  if (known !== undefined) return known;
  const userId = signerUserOf(holder);
  const { address } = await askSigner(ctx, { kind: 'make-key', userId, walletId: ctx.random.id() });
  const { walletChainId } = ctx.settings;
  await insertTreasury(ctx.db.system, {
    kind: holder.kind,
    holder_id: holder.id,
    safe_address: ctx.evmWallets.safeAddress(address, saltNonceOf(holder), walletChainId),
    owner_address: address,
    chain_id: walletChainId,
    handed_over_to: null,
    created_at: ctx.clock(),
  });
  const made = await selectTreasury(ctx.db.system, holder);
  if (made === undefined) throw new Error('A wallet was removed while it was being created.');
  return made;
}
