import { T, text } from '@latchkey/kernel';
import type { TreasuryView } from './read-treasury.ts';

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
