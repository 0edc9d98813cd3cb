import type { Context } from '../../context.ts';
import type { AskContext } from '../../machinery/signer/index.ts';
import { describeHolder, makeTreasury, type TreasuryRow } from '../../money/treasuries/index.ts';
import { requireVerified } from './organization.ts';
import { lockOwnOrganization, ownOrganization } from './own-organization.ts';
import type { OrganizationRow } from './queries.ts';
import { type OrganizationWallet, ownerKeyPlace, toWallet } from './wallet.ts';
import { insertWallet, selectWallet, type WalletRow } from './wallet-queries.ts';

type WalletContext = AskContext & Pick<Context, 'actor' | 'evmWallets' | 'safes' | 'tx'>;

export async function createOrganizationWallet(
  ctx: WalletContext,
  { orgId }: { orgId: string },
): Promise<OrganizationWallet> {
  const organization = await ctx.tx((tx) => ownOrganization(ctx, tx, orgId));
  requireVerified(organization);
  const holder = { kind: 'organization', id: organization.id } as const;
  const treasury = await makeTreasury(ctx, holder);
  const wallet = await ctx.tx(async (tx) => {
    // Callers at the same time wait here for the first of them, and then find its wallet.
    await lockOwnOrganization(ctx, tx, orgId);
    return (
      (await selectWallet(tx, organization.id)) ?? (await insertWallet(tx, newWallet(ctx, organization, treasury)))
    );
  });
  return toWallet(wallet, await describeHolder(ctx, holder));
}

function newWallet(
  ctx: WalletContext,
  organization: OrganizationRow,
  { owner_address, safe_address, chain_id }: TreasuryRow,
): WalletRow {
  return {
    organization_id: organization.id,
    created_by_id: organization.created_by_id,
    owner_address,
    owner_key: null,
    safe_address,
    chain_id,
    created_at: ctx.clock(),
  };
}

/** The owner's key of a wallet that was made before the signer kept keys. */
export async function openOrganizationKey(
  { db, keyring }: Pick<Context, 'db' | 'keyring'>,
  organizationId: string,
): Promise<Uint8Array | undefined> {
  const wallet = await selectWallet(db.system, organizationId);
  return wallet?.owner_key == null ? undefined : keyring.open(ownerKeyPlace(organizationId), wallet.owner_key);
}
