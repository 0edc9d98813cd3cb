import type { Sql, Tx } from '@latchkey/db';
import { notFound, principalId, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { AskContext } from '../../services/signer/index.ts';
import {
  describeHolder,
  type Holder,
  makeTreasury,
  type TreasuryRow,
  type TreasuryView,
  toWalletFields,
  walletFields,
} from '../../services/treasuries/index.ts';
import type { Context } from '../../shared/context.ts';
import type { Erasure } from '../../shared/module.ts';
import { readOfCommunity } from '../access/index.ts';
import { getCommunity, lockOwnCommunity } from '../community-records/index.ts';

/** A wallet as stored. */
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

const classifier = 'COMMUNITYWALLET';

export const CommunityWallet = record(
  'CommunityWallet',
  'The Safe of a community. Its address can receive money before the contract is deployed.',
  {
    ...walletFields({
      kind: 'community',
      classifier,
      pk: 'The id of the community.',
      userId: 'The id of the user who requested the wallet.',
    }),
    timestamp: T.Number({ description: 'When it was created, in milliseconds since 1970.' }),
    communityId: text('The id of the community.'),
  },
);
export type CommunityWallet = ValueOf<typeof CommunityWallet>;

/** `view` is its state on the chain. */
export function toWallet(row: CommunityWalletRow, view: TreasuryView | undefined): CommunityWallet {
  return { ...toWalletFields(row, view, { pk: row.community_id, classifier }), communityId: row.community_id };
}

type WalletContext = AskContext & Pick<Context, 'actor' | 'evmWallets' | 'safes' | 'tx'>;
type Named = { communityId: string };

const holderOf = (id: string): Holder => ({ kind: 'community', id });

export async function createCommunityWallet(ctx: WalletContext, { communityId }: Named): Promise<CommunityWallet> {
  const { id } = await ctx.tx((tx) => getCommunity(tx, communityId));
  const treasury = await makeTreasury(ctx, holderOf(id));
  const wallet = await ctx.tx(async (tx) => {
    // Concurrent callers wait here for the first one, and then find its wallet.
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
