import { notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { getCommunity, lockOwnCommunity } from './own-community.ts';
import { type CommunityWallet, ownerKeyPlace, saltNonceOf, toWallet } from './wallet.ts';
import { type CommunityWalletRow, insertWallet, selectWallet } from './wallet-queries.ts';

type WalletContext = Pick<Context, 'actor' | 'clock' | 'evmWallets' | 'keyring' | 'random' | 'settings' | 'tx'>;
type Named = { communityId: string };

export async function createCommunityWallet(ctx: WalletContext, { communityId }: Named): Promise<CommunityWallet> {
  return ctx.tx(async (tx) => {
    // Callers at the same time wait here for the first of them, and then find its wallet.
    const { id } = await lockOwnCommunity(tx, communityId);
    return toWallet((await selectWallet(tx, id)) ?? (await insertWallet(tx, newWallet(ctx, id))));
  });
}

function newWallet(ctx: WalletContext, communityId: string): CommunityWalletRow {
  const { walletChainId } = ctx.settings;
  const { privateKey, address } = ctx.evmWallets.createOwnerKey(ctx.random);
  const row = {
    community_id: communityId,
    created_by_id: principalId(ctx.actor),
    owner_address: address,
    owner_key: ctx.keyring.seal(ownerKeyPlace(communityId), privateKey),
    safe_address: ctx.evmWallets.safeAddress(address, saltNonceOf(communityId), walletChainId),
    chain_id: walletChainId,
    created_at: ctx.clock(),
  };
  privateKey.fill(0);
  return row;
}

export async function getCommunityWallet(ctx: Pick<Context, 'tx'>, { communityId }: Named): Promise<CommunityWallet> {
  const wallet = await ctx.tx(async (tx) => selectWallet(tx, (await getCommunity(tx, communityId)).id));
  if (wallet === undefined) throw notFound('wallet');
  return toWallet(wallet);
}
