import type { Sql, Tx } from '@latchkey/db';
import { notFound, principalId, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { AskContext } from '../../services/signer/index.ts';
import {
  describeHolder,
  type Holder,
  makeTreasury,
  type TreasuryRow,
  type TreasuryView,
} from '../../services/treasuries/index.ts';
import type { Context } from '../../shared/context.ts';
import type { Erasure } from '../../shared/module.ts';
import { readOfCommunity } from '../access/index.ts';
import { getCommunity, lockOwnCommunity } from '../community-records/index.ts';

/** A wallet as it is stored. */
export interface CommunityWalletRow {
  community_id: string;
  created_by_id: string;
  owner_address: string;
  safe_address: string;
  chain_id: number;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    community_wallets: CommunityWalletRow;
  }
}

export function selectWallet(tx: Sql, communityId: string): Promise<CommunityWalletRow | undefined> {
  return tx.selectFrom('community_wallets').selectAll().where('community_id', '=', communityId).executeTakeFirst();
}

export async function insertWallet(tx: Tx, row: CommunityWalletRow): Promise<CommunityWalletRow> {
  await tx.insertInto('community_wallets').values(row).execute();
  return row;
}

export const CommunityWallet = record(
  'CommunityWallet',
  'The Safe of a community. Its address can receive money before the contract is deployed.',
  {
    id: T.Optional(text('Not set: a community has one wallet, found under the community.')),
    createdTime: T.Optional(text('When it was created, in ISO 8601 format.')),
    pk: T.Optional(text('The id of the community.')),
    sk: T.Optional(text('Always COMMUNITYWALLET.')),
    classifier: T.Optional(text('Always COMMUNITYWALLET.')),
    classifierGroup: T.Optional(text('Always COMMUNITYWALLET.')),
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
    userId: text('The id of the user who requested the wallet.'),
    platform: T.Optional(text('Not set: the wallet belongs to the community, not to a platform account.')),
    clTokenBalance: T.Optional(
      text(
        'The Safe’s balance in the chain’s native coin, in the smallest unit. Absent while the chain cannot be read.',
      ),
    ),
    timestamp: T.Number({ description: 'When it was created, in milliseconds since 1970.' }),
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

export const walletErasure: Erasure = {
  columns: ['community_wallets.created_by_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    await tx
      .updateTable('community_wallets')
      .set({ created_by_id: pseudonym })
      .where('created_by_id', '=', userId)
      .execute();
  },
};
