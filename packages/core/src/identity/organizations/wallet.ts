import { record, T, text, type ValueOf } from '@latchkey/kernel';
import type { TreasuryView } from '../../services/treasuries/index.ts';
import { qualifiedId } from './organization.ts';
import type { WalletRow } from './wallet-queries.ts';

export const OrganizationWallet = record(
  'OrganizationWallet',
  'The Safe of an organization. Its address can receive money before the contract is deployed.',
  {
    id: T.Optional(text('Not set: an organization has one wallet, found under the organization.')),
    createdTime: T.Optional(text('When it was created, in ISO 8601 format.')),
    pk: T.Optional(text('ORG# and the id of the organization.')),
    sk: T.Optional(text('Always ORGWALLET.')),
    classifier: T.Optional(text('Always ORGWALLET.')),
    classifierGroup: T.Optional(text('Always ORGWALLET.')),
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
    userId: text('The id of the user the organization belongs to.'),
    platform: T.Optional(text('Not set: the wallet belongs to the organization, not to a platform account.')),
    clTokenBalance: T.Optional(
      text(
        'The Safe’s balance in the chain’s native coin, in the smallest unit. Absent while the chain cannot be read.',
      ),
    ),
    organizationId: text('The id of the organization.'),
    gnosisAddress: text('The address of the Safe again, under the name that existing clients read.'),
    chainId: T.Number({ description: 'The EVM chain the Safe is meant for.' }),
    timestamp: T.Number({ description: 'When it was created, in milliseconds since 1970.' }),
    communityId: text('ORG# and the id of the organization, which takes the place of a community here.'),
  },
);
export type OrganizationWallet = ValueOf<typeof OrganizationWallet>;

/** `view` is what the chain shows of it. */
export function toWallet(row: WalletRow, view: TreasuryView | undefined): OrganizationWallet {
  const organization = qualifiedId({ id: row.organization_id });
  return {
    pk: organization,
    sk: 'ORGWALLET',
    classifier: 'ORGWALLET',
    classifierGroup: 'ORGWALLET',
    status: view?.status ?? 'COUNTERFACTUAL',
    ...(view?.txHash !== undefined && { txHash: view.txHash }),
    ...(view?.balance !== undefined && { clTokenBalance: String(view.balance) }),
    address: row.safe_address,
    gnosisAddress: row.safe_address,
    ownerAddress: view?.ownerAddress ?? row.owner_address,
    userId: row.created_by_id,
    organizationId: row.organization_id,
    communityId: organization,
    chainId: row.chain_id,
    createdTime: row.created_at.toISOString(),
    timestamp: row.created_at.getTime(),
  };
}
