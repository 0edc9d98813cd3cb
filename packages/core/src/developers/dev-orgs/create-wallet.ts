import type { Context } from '../../context.ts';
import { requireVerified } from './organization.ts';
import { lockOwnOrganization } from './own-organization.ts';
import type { OrganizationRow } from './queries.ts';
import { type OrganizationWallet, ownerKeyPlace, saltNonceOf, toWallet } from './wallet.ts';
import { insertWallet, selectWallet, type WalletRow } from './wallet-queries.ts';

type WalletContext = Pick<Context, 'actor' | 'clock' | 'evmWallets' | 'keyring' | 'random' | 'settings' | 'tx'>;

export async function createOrganizationWallet(
  ctx: WalletContext,
  { orgId }: { orgId: string },
): Promise<OrganizationWallet> {
  return ctx.tx(async (tx) => {
    // Callers at the same time wait here for the first of them, and then find its wallet.
    const organization = await lockOwnOrganization(ctx, tx, orgId);
    requireVerified(organization);
    const existing = await selectWallet(tx, organization.id);
    return toWallet(existing ?? (await insertWallet(tx, newWallet(ctx, organization))));
  });
}

function newWallet(ctx: WalletContext, organization: OrganizationRow): WalletRow {
  const { walletChainId } = ctx.settings;
  const { privateKey, address } = ctx.evmWallets.createOwnerKey(ctx.random);
  const row = {
    organization_id: organization.id,
    created_by_id: organization.created_by_id,
    owner_address: address,
    owner_key: ctx.keyring.seal(ownerKeyPlace(organization.id), privateKey),
    safe_address: ctx.evmWallets.safeAddress(address, saltNonceOf(organization.id), walletChainId),
    chain_id: walletChainId,
    created_at: ctx.clock(),
  };
  privateKey.fill(0);
  return row;
}
