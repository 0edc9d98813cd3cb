import { record, T, text, type ValueOf } from '@latchkey/kernel';
import type { WalletRow } from './queries.ts';

export const WalletConnection = record('WalletConnection', 'A wallet that is linked to a user.', {
  id: T.Optional(text('The id of the link.')),
  createdTime: T.Optional(text('When the wallet was linked, in ISO 8601.')),
  pk: T.Optional(text('The user.')),
  sk: T.Optional(text('WALLET#, the community it was linked for and #, if there is one, and the address.')),
  classifier: T.Optional(text('Always WALLET.')),
  classifierGroup: T.Optional(text('Always WALLET.')),
  address: T.Optional(text('The address, in the spelling of its chain.')),
  signerAddress: T.Optional(text('Who signed for it, when that is another address.')),
  contract: T.Optional(text('The contract that stands behind the wallet, if any.')),
  accountId: T.Optional(text('The account in CAIP-10 form.')),
  userId: T.Optional(text('The user.')),
  platform: T.Optional(text('The chat platform of the user.')),
  communityId: T.Optional(text('The community it was linked for, if any. It counts in every community all the same.')),
  communityPk: T.Optional(text('The qualified id of that community.')),
  walletType: T.Optional(text('The kind of wallet, as the client called it.')),
  metadata: T.Optional(
    T.Unsafe<Record<string, boolean>>({
      type: 'object',
      description: 'Marks that the client set.',
      additionalProperties: { type: 'boolean' },
      maxProperties: 50,
    }),
  ),
});
export type WalletConnection = ValueOf<typeof WalletConnection>;

const anyChain: Readonly<Record<string, string>> = { evm: '1', solana: 'mainnet-beta', flow: 'mainnet' };

/** The account in CAIP-10 form. A key is one account on all chains of its namespace, so one of them stands for all. */
export function walletAccountId(namespace: string, contractChain: string | null, address: string): string {
  return `${namespace}:${contractChain ?? anyChain[namespace] ?? 'mainnet'}:${address}`;
}

export function toWalletConnection(row: WalletRow): WalletConnection {
  return {
    id: row.id,
    createdTime: row.created_at.toISOString(),
    pk: row.user_id,
    sk: `WALLET#${row.community_id === null ? '' : `${row.community_id}#`}${row.address}`,
    classifier: 'WALLET',
    classifierGroup: 'WALLET',
    address: row.address,
    accountId: walletAccountId(row.namespace, row.contract_chain, row.address),
    userId: row.user_id,
    platform: row.platform,
    ...(row.signer_address !== null && { signerAddress: row.signer_address }),
    ...(row.contract !== null && { contract: row.contract }),
    ...(row.community_id !== null && {
      communityPk: row.community_id,
      communityId: row.community_id.split('#').slice(2).join('#'),
    }),
    ...(row.wallet_type !== null && { walletType: row.wallet_type }),
    metadata: row.metadata,
  };
}
