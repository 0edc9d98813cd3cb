import { type Sql, sql } from '@latchkey/db';
import './tables.ts';

/** A wallet and the member whose it is. */
export interface MemberWallet {
  userId: string;
  account: string;
}

export interface HeldAsset {
  chain: string;
  reference: string;
  /** In lower case: `erc20`, `erc721` … */
  standard: string;
  /** How many of the members hold it. */
  holders: number;
}

interface Wanted {
  /** Only assets after this chain and reference. */
  after?: readonly string[] | undefined;
  /** Only these assets. */
  among?: readonly { chain: string; reference: string }[];
  limit: number;
}

/**
 * The assets that these wallets held when they were last read, with how many members hold each. Only assets that some rule
 * asks about are read, so that an asset which is absent may be held all the same.
 */
export async function selectHeldAssets(
  db: Sql,
  wallets: readonly MemberWallet[],
  { after = ['', ''], among, limit }: Wanted,
): Promise<HeldAsset[]> {
  if (wallets.length === 0 || among?.length === 0) return [];
  const [chain = '', reference = ''] = after;
  const isWanted =
    among === undefined
      ? sql`true`
      : sql`exists (
          select from jsonb_to_recordset(${JSON.stringify(among)}::jsonb) as k (chain text, reference text)
          where k.chain = w.chain and k.reference = w.reference)`;
  const { rows } = await sql<HeldAsset>`
    select w.chain, w.reference, min(h.variant::jsonb ->> 0) as standard, count(distinct m.user_id)::int as holders
    from followed_contracts w
    join read_holdings h on h.chain = w.chain and h.reference = w.reference
    join unnest(
      ${wallets.map(({ userId }) => userId)}::text[], ${wallets.map(({ account }) => account)}::text[]
    ) as m (user_id, account) on m.account = h.account
    where (w.chain, w.reference) > (${chain}, ${reference}) and ${isWanted}
      and h.answer ->> 'kind' = 'read' and h.answer ->> 'amount' ~ '[1-9]'
    group by w.chain, w.reference
    order by w.chain, w.reference limit ${limit}`.execute(db);
  return rows;
}
