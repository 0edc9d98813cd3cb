import { type Database, type RawBuilder, type Sql, sql, type Tx } from '@latchkey/db';
import { selectUnlinked } from '../../identity/wallets/index.ts';
import type { Answer, Question } from '../../ports/index.ts';
import type { Erasure } from '../../shared/module.ts';
import { questionKey } from '../rules/index.ts';

function variantOf({ standard, tokenIds, needs, details }: Question): string {
  const sorted = details && Object.entries(details).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([standard, needs, tokenIds ?? null, sorted ?? null]);
}

interface Trust {
  /** Holdings read before this are not used. */
  readAfter: Date;
  /** The head of the chain must have been reached since this time. */
  followedAfter: Date;
}

/**
 * Returns stored answers that are still valid: their chain is followed to its head, their contract was already watched
 * when they were read, and no change was seen since.
 */
export async function selectHoldings(
  db: Sql,
  questions: readonly Question[],
  trust: Trust,
): Promise<Map<string, Answer>> {
  if (questions.length === 0) return new Map();
  const { rows } = await sql<{ position: number; answer: Answer }>`
    select q.position, h.answer
    from unnest(
      ${questions.map((question) => question.chain)}::text[],
      ${questions.map((question) => question.reference)}::text[],
      ${questions.map((question) => question.account)}::text[],
      ${questions.map(variantOf)}::text[]
    ) with ordinality as q (chain, reference, account, variant, position)
    join read_holdings h
      on h.chain = q.chain and h.reference = q.reference and h.account = q.account and h.variant = q.variant
    join followed_chains c on c.chain = h.chain and c.followed_at >= ${trust.followedAfter}
    join followed_contracts w on w.chain = h.chain and w.reference = h.reference and w.since_number <= h.block_number
    where h.read_at > ${trust.readAfter} and not exists (
      select from followed_changes f
      where f.chain = h.chain and f.reference = h.reference and f.account = h.account and f.number > h.block_number
    )`.execute(db);
  const found = new Map<string, Answer>();
  for (const { position, answer } of rows) {
    const question = questions[position - 1];
    if (question !== undefined) found.set(questionKey(question), answer);
  }
  return found;
}

const rowsAtOnce = 5_000;

/**
 * Stores results that have a block, unless a newer one exists. Returns the questions that were read in an orphaned
 * block: the follower has already passed that height and would not discard them.
 */
export async function putHoldings(
  db: Pick<Database, 'transaction'>,
  read: readonly { question: Question; answer: Answer }[],
  now: Date,
): Promise<Question[]> {
  const rows = read.flatMap(({ question, answer }) => {
    if (answer.kind !== 'read' || !/^\d{1,15}$/.test(answer.block?.number ?? '')) return [];
    const { chain, reference, account } = question;
    const block = answer.block;
    const place = { chain, number: block?.number, hash: block?.hash };
    return [{ question, row: { ...place, reference, account, variant: variantOf(question), answer } }];
  });
  const orphaned: Question[] = [];
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const some = rows.slice(from, from + rowsAtOnce);
    await db.transaction('system', async (tx) => {
      const isOrphaned = await lookForLeftBlocks(
        tx,
        some.map(({ row }) => row),
      );
      orphaned.push(...some.filter(({ row }) => isOrphaned(row)).map(({ question }) => question));
      const kept = some.filter(({ row }) => !isOrphaned(row)).map(({ row }) => row);
      if (kept.length > 0) await insertRows(tx, kept, now);
    });
  }
  return orphaned;
}

interface Place {
  chain: string;
  number: string | undefined;
  hash: string | undefined;
}

/**
 * Returns a function that tells whether another block was followed at the same height. Until the transaction ends, no
 * further block is followed.
 */
async function lookForLeftBlocks(tx: Tx, places: readonly Place[]): Promise<(place: Place) => boolean> {
  const keyOf = ({ chain, number, hash }: Place) => `${chain} ${number} ${hash}`;
  const blocks = [...new Map(places.map((place) => [keyOf(place), place])).values()];
  const chains = [...new Set(places.map(({ chain }) => chain))];
  await sql`select from followed_chains where chain = any(${chains}::text[]) order by chain for share`.execute(tx);
  const { rows } = await sql<Place>`
    select r.chain, r.number::text as number, r.hash
    from jsonb_to_recordset(${JSON.stringify(blocks.map(({ chain, number, hash }) => ({ chain, number, hash })))}::jsonb)
      as r (chain text, number bigint, hash text)
    join followed_blocks b on b.chain = r.chain and b.number = r.number and b.hash <> r.hash`.execute(tx);
  const left = new Set(rows.map(keyOf));
  return (place) => left.has(keyOf(place));
}

async function insertRows(tx: Tx, rows: readonly object[], now: Date): Promise<void> {
  await sql`
    insert into read_holdings (chain, reference, account, variant, answer, block_number, block_hash, read_at)
    select chain, reference, account, variant, answer, number, hash, ${now}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as r (chain text, reference text, account text, variant text, answer jsonb, number bigint, hash text)
    order by chain, reference, account, variant
    on conflict (chain, reference, account, variant) do update set
      answer = excluded.answer, block_number = excluded.block_number, block_hash = excluded.block_hash,
      read_at = excluded.read_at
    where read_holdings.block_number <= excluded.block_number`.execute(tx);
}

/** Deletes results that were not requested for a long time. Returns how many. */
export async function deleteOldHoldings(db: Sql, before: Date, limit: number): Promise<number> {
  // Selected by ctid, which avoids scanning the rest. A row that is read again in the meantime stays.
  const result = await sql`
    delete from read_holdings where read_at < ${before} and ctid = any (array(
      select ctid from read_holdings where read_at < ${before} limit ${limit}
    ))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}

declare module '@latchkey/db/tables' {
  interface Tables {
    read_holdings: {
      chain: string;
      reference: string;
      account: string;
      variant: string;
      answer: unknown;
      block_number: number;
      block_hash: string | null;
      read_at: Date;
    };
    followed_chains: { chain: string; number: number; hash: string; followed_at: Date };
    followed_blocks: { chain: string; number: number; hash: string };
    followed_changes: { chain: string; number: number; reference: string; account: string };
    followed_contracts: { chain: string; reference: string; since_number: number };
  }
}

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

/**
 * Deletes the holdings of a person's wallets. A chain's state is public, but it was stored here because of this person.
 */
export const holdingsErasure: Erasure = {
  columns: ['read_holdings.account', 'followed_changes.account'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { wallets }) => {
    const addresses = wallets.map(({ address }) => address);
    const gone = (await selectUnlinked(tx, addresses)).map((address) => address.toLowerCase());
    if (gone.length === 0) return;
    await sql`delete from read_holdings where lower(account) = any(${gone}::text[])`.execute(tx);
    await sql`delete from followed_changes where lower(account) = any(${gone}::text[])`.execute(tx);
  },
};

/** Deletes the holdings of accounts in these assets. Naming the assets lets the delete use an index. */
export async function forgetHoldingsIn(
  tx: Tx,
  assets: RawBuilder<{ chain: string; reference: string }>,
  accounts: readonly string[],
): Promise<void> {
  if (accounts.length === 0) return;
  for (const table of ['read_holdings', 'followed_changes'])
    await sql`
      delete from ${sql.table(table)} h using (
        select distinct r.chain, r.reference, a.account
        from (${assets}) r, unnest(${[...accounts]}::text[]) as a (account)
      ) as k
      where h.chain = k.chain and h.reference = k.reference and h.account = k.account`.execute(tx);
}

/** Metrics of followed chains: rows of (metric, label, value), combined over all modules in one statement. */
/** The chains that are followed, for statements of other modules. */
export const followedChains = sql`select chain from followed_chains`;

export const chainMetrics = sql`
  select 'chain-behind' as metric, chain as label, greatest(0, extract(epoch from now() - followed_at))::float8 as value
    from followed_chains
  union all
  select 'chain-block', chain, number from followed_chains`;
