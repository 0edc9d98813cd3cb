import { type Database, type Sql, sql, type Tx } from '@latchkey/db';
import type { Answer, Question } from '../../ports/index.ts';
import { questionKey } from '../rules/index.ts';
import './tables.ts';

function variantOf({ standard, tokenIds, needs, details }: Question): string {
  const sorted = details && Object.entries(details).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([standard, needs, tokenIds ?? null, sorted ?? null]);
}

export interface Trust {
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
