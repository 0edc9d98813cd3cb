import { T, text } from '@latchkey/kernel';
import { type SafeState, SafesUnavailable } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { type AskContext, askSigner } from '../signer/index.ts';
import { findDeployed, findOpen } from './action-queries.ts';
import { insertTreasury, selectTreasury, type TreasuryRow } from './queries.ts';
import { findSafes, type Holder, saltNonceOf, signerUserOf } from './treasury.ts';

type ReadContext = Pick<Context, 'db' | 'safes'>;

export const treasuryStatuses = ['COUNTERFACTUAL', 'DEPLOYING', 'DEPLOYED'] as const;

/** The state of a wallet on its chain. What the chain did not return is absent. */
export interface TreasuryView {
  status: (typeof treasuryStatuses)[number];
  txHash?: string;
  /** In the smallest unit of the chain's coin. */
  balance?: bigint;
  ownerAddress: string;
}

export async function describeHolder(ctx: ReadContext, holder: Holder): Promise<TreasuryView | undefined> {
  const treasury = await selectTreasury(ctx.db.system, holder);
  return treasury === undefined ? undefined : describeTreasury(ctx, treasury);
}

export async function describeTreasury(ctx: ReadContext, treasury: TreasuryRow): Promise<TreasuryView> {
  const { safe_address } = treasury;
  const [state, deployed, deploying] = await Promise.all([
    readSafe(ctx, treasury),
    findDeployed(ctx.db.system, safe_address),
    findOpen(ctx.db.system, safe_address, 'deployment'),
  ]);
  const isDeployed = state?.isDeployed ?? deployed !== undefined;
  const txHash = isDeployed ? deployed?.tx_hash : null;
  return {
    status: isDeployed ? 'DEPLOYED' : deploying !== undefined ? 'DEPLOYING' : 'COUNTERFACTUAL',
    ...(txHash != null && { txHash }),
    ...(state !== undefined && { balance: state.balance }),
    ownerAddress: state?.owners[0] ?? treasury.handed_over_to ?? treasury.owner_address,
  };
}

/** Undefined if the chain is unavailable, which says nothing about the wallet. */
async function readSafe(ctx: ReadContext, treasury: TreasuryRow): Promise<SafeState | undefined> {
  try {
    return await findSafes(ctx, treasury.chain_id)?.readState(treasury.safe_address);
  } catch (error) {
    if (error instanceof SafesUnavailable) return undefined;
    throw error;
  }
}

interface WalletHolder {
  kind: 'community' | 'organization';
  classifier: string;
  /** Descriptions of its partition key and its user. */
  pk: string;
  userId: string;
}

/** The common fields of published wallet records, for communities and organizations. */
export function walletFields({ kind, classifier, pk, userId }: WalletHolder) {
  const always = T.Optional(text(`Always ${classifier}.`));
  return {
    id: T.Optional(
      text(`Not set: ${kind === 'community' ? 'a' : 'an'} ${kind} has one wallet, found under the ${kind}.`),
    ),
    createdTime: T.Optional(text('When it was created, in ISO 8601 format.')),
    pk: T.Optional(text(pk)),
    sk: always,
    classifier: always,
    classifierGroup: always,
    status: text(
      'COUNTERFACTUAL: the address can receive money and the contract is not deployed yet. DEPLOYING: in progress. DEPLOYED: on the chain.',
    ),
    address: text('The address of the Safe, in EIP-55 form.'),
    ownerAddress: T.Optional(
      text(
        'The sole owner of the Safe: the address of a key that this server’s signer holds, or the wallet that the Safe was handed over to.',
      ),
    ),
    txHash: T.Optional(text('The transaction that deployed the Safe; absent until there is one.')),
    userId: text(userId),
    platform: T.Optional(text(`Not set: the wallet belongs to the ${kind}, not to a platform account.`)),
    clTokenBalance: T.Optional(
      text(
        'The Safe’s balance in the chain’s native coin, in the smallest unit. Absent while the chain cannot be read.',
      ),
    ),
  };
}

/** Returns the values of those fields. `view` is the wallet's state on the chain. */
export function toWalletFields(
  row: { safe_address: string; owner_address: string; created_by_id: string; created_at: Date },
  view: TreasuryView | undefined,
  { pk, classifier }: Pick<WalletHolder, 'pk' | 'classifier'>,
) {
  return {
    pk,
    sk: classifier,
    classifier,
    classifierGroup: classifier,
    status: view?.status ?? 'COUNTERFACTUAL',
    ...(view?.txHash !== undefined && { txHash: view.txHash }),
    ...(view?.balance !== undefined && { clTokenBalance: String(view.balance) }),
    address: row.safe_address,
    ownerAddress: view?.ownerAddress ?? row.owner_address,
    userId: row.created_by_id,
    createdTime: row.created_at.toISOString(),
    timestamp: row.created_at.getTime(),
  };
}

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
