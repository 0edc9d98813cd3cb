import { createHash } from 'node:crypto';
import { record, T, text, type ValueOf } from '@latchkey/kernel';
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
    status: text('COUNTERFACTUAL: the address is settled and the contract is not deployed yet.'),
    address: text('The address of the Safe, in EIP-55 form.'),
    ownerAddress: T.Optional(text('The address of the key that alone owns the Safe; this server holds that key.')),
    txHash: T.Optional(text('The transaction that deployed the Safe; absent until there is one.')),
    userId: text('The id of the user who asked for the wallet.'),
    platform: T.Optional(text('Not set: the wallet belongs to the community, not to a platform account.')),
    clTokenBalance: T.Optional(text('Not set: balances are read from the chain, not kept here.')),
    timestamp: T.Number({ description: 'When it was made, in milliseconds since 1970.' }),
    communityId: text('The id of the community.'),
  },
);
export type CommunityWallet = ValueOf<typeof CommunityWallet>;

export function toWallet(row: CommunityWalletRow): CommunityWallet {
  return {
    pk: row.community_id,
    sk: 'COMMUNITYWALLET',
    classifier: 'COMMUNITYWALLET',
    classifierGroup: 'COMMUNITYWALLET',
    status: 'COUNTERFACTUAL',
    address: row.safe_address,
    ownerAddress: row.owner_address,
    userId: row.created_by_id,
    communityId: row.community_id,
    createdTime: row.created_at.toISOString(),
    timestamp: row.created_at.getTime(),
  };
}

/** The same community always gets the same salt, so its address can be found again from its owner key alone. */
export function saltNonceOf(communityId: string): bigint {
  const hash = createHash('sha256').update(`latchkey/community-wallet:${communityId}`).digest('hex');
  return BigInt(`0x${hash}`);
}

export function ownerKeyPlace(communityId: string): string {
  return `community_wallets.owner_key:${communityId}`;
}
