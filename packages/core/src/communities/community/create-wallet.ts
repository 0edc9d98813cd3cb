import { notFound, principalId } from '@latchkey/kernel';
import type { AskContext } from '../../services/signer/index.ts';
import { describeHolder, type Holder, makeTreasury, type TreasuryRow } from '../../services/treasuries/index.ts';
import type { Context } from '../../shared/context.ts';
import { readOfCommunity } from './access.ts';
import { getCommunity, lockOwnCommunity } from './own-community.ts';
import { type CommunityWallet, ownerKeyPlace, toWallet } from './wallet.ts';
import { type CommunityWalletRow, insertWallet, selectWallet } from './wallet-queries.ts';

type WalletContext = AskContext & Pick<Context, 'actor' | 'evmWallets' | 'safes' | 'tx'>;
type Named = { communityId: string };

const holderOf = (id: string): Holder => ({ kind: 'community', id });

export async function createCommunityWallet(ctx: WalletContext, { communityId }: Named): Promise<CommunityWallet> {
  const { id } = await ctx.tx((tx) => getCommunity(tx, communityId));
  const treasury = await makeTreasury(ctx, holderOf(id));
  const wallet = await ctx.tx(async (tx) => {
    // Callers at the same time wait here for the first of them, and then find its wallet.
    await lockOwnCommunity(tx, communityId);
    return (await selectWallet(tx, id)) ?? (await insertWallet(tx, newWallet(ctx, treasury)));
  });
  return toWallet(wallet, await describeHolder(ctx, holderOf(id)));
}

function newWallet(ctx: WalletContext, treasury: TreasuryRow): CommunityWalletRow {
  const { holder_id, owner_address, safe_address, chain_id } = treasury;
  return {
    community_id: holder_id,
    created_by_id: principalId(ctx.actor),
    owner_address,
    owner_key: null,
    safe_address,
    chain_id,
    created_at: ctx.clock(),
  };
}

export async function getCommunityWallet(
  ctx: Pick<Context, 'actor' | 'db' | 'safes'>,
  { communityId }: Named,
): Promise<CommunityWallet> {
  const wallet = await readOfCommunity(ctx, communityId, (tx, { id }) => selectWallet(tx, id));
  if (wallet === undefined) throw notFound('wallet');
  return toWallet(wallet, await describeHolder(ctx, holderOf(wallet.community_id)));
}

/** The owner's key of a wallet that was made before the signer kept keys. */
export async function openCommunityKey(
  { db, keyring }: Pick<Context, 'db' | 'keyring'>,
  communityId: string,
): Promise<Uint8Array | undefined> {
  const wallet = await selectWallet(db.system, communityId);
  return wallet?.owner_key == null ? undefined : keyring.open(ownerKeyPlace(communityId), wallet.owner_key);
}
