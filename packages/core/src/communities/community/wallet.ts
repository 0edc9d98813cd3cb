import { record, T, text, type ValueOf } from '@latchkey/kernel';
import type { TreasuryView } from '../../services/treasuries/index.ts';
import type { CommunityWalletRow } from './wallet-queries.ts';

export const CommunityWallet = record(
  'CommunityWallet',
  'The Safe of a community. Its address can receive money before the contract is deployed.',
  {
    id: T.Optional(text('Not set: a community has one wallet, found under the community.')),
    createdTime: T.Optional(text('When it was made, in ISO 8601 form.')),
    pk: T.Optional(text('The id of the community.')),
    sk: T.Optional(text('Always COMMUNITYWALLET.')),
    classifier: T.Optional(text('Always COMMUNITYWALLET.')),
    classifierGroup: T.Optional(text('Always COMMUNITYWALLET.')),
    status: text(
      'COUNTERFACTUAL: the address can receive money and the contract is not deployed yet. DEPLOYING: it is on its way. DEPLOYED: it is on the chain.',
    ),
    address: text('The address of the Safe, in EIP-55 form.'),
    ownerAddress: T.Optional(
      text(
        'The address that alone owns the Safe: of a key that the signer of this server holds, or the wallet that the Safe was handed over to.',
      ),
    ),
    txHash: T.Optional(text('The transaction that deployed the Safe; absent until there is one.')),
    userId: text('The id of the user who asked for the wallet.'),
    platform: T.Optional(text('Not set: the wallet belongs to the community, not to a platform account.')),
    clTokenBalance: T.Optional(
      text(
        'What the Safe holds in the coin of its chain, in the smallest unit. Absent while the chain cannot be read.',
      ),
    ),
    timestamp: T.Number({ description: 'When it was made, in milliseconds since 1970.' }),
    communityId: text('The id of the community.'),
  },
);
export type CommunityWallet = ValueOf<typeof CommunityWallet>;

/** `view` is what the chain shows of it. */
export function toWallet(row: CommunityWalletRow, view: TreasuryView | undefined): CommunityWallet {
  return {
    pk: row.community_id,
    sk: 'COMMUNITYWALLET',
    classifier: 'COMMUNITYWALLET',
    classifierGroup: 'COMMUNITYWALLET',
    status: view?.status ?? 'COUNTERFACTUAL',
    ...(view?.txHash !== undefined && { txHash: view.txHash }),
    ...(view?.balance !== undefined && { clTokenBalance: String(view.balance) }),
    address: row.safe_address,
    ownerAddress: view?.ownerAddress ?? row.owner_address,
    userId: row.created_by_id,
    communityId: row.community_id,
    createdTime: row.created_at.toISOString(),
    timestamp: row.created_at.getTime(),
  };
}

export function ownerKeyPlace(communityId: string): string {
  return `community_wallets.owner_key:${communityId}`;
}
