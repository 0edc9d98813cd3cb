import { type Sql, sql, type Tx } from '@latchkey/db';
import type { ChainCursor } from '../../ports/index.ts';
import './holdings-store.ts';

/** The deepest reorganization, in blocks, that can be followed. */
export const rememberedBlocks = 128;

/** A change of an account's holding of a contract in one block. */
interface PassedChange {
  reference: string;
  account: string;
  number: number;
}

/** The latest followed blocks, newest first. */
export async function selectPassed(db: Sql, chain: string): Promise<ChainCursor[]> {
  const rows = await db
    .selectFrom('followed_blocks')
    .select(['number', 'hash'])
    .where('chain', '=', chain)
    .orderBy('number', 'desc')
    .limit(rememberedBlocks)
    .execute();
  return rows.map(({ number, hash }) => ({ number: String(number), hash }));
}

export interface FollowedChain {
  chain: string;
  number: number;
  /** When its head was last reached. */
  followedAt: Date;
}

/** The chains that are followed, and how far. */
export async function selectFollowedChains(db: Sql): Promise<FollowedChain[]> {
  const rows = await db.selectFrom('followed_chains').selectAll().orderBy('chain').execute();
  return rows.map(({ chain, number, followed_at }) => ({ chain, number, followedAt: followed_at }));
}

/** Starts following a chain at a block, discarding earlier progress. Every contract counts as watched from there on. */
export async function startChain(
  tx: Tx,
  chain: string,
  at: ChainCursor,
  contracts: readonly string[],
  now: Date,
): Promise<void> {
  await tx.deleteFrom('followed_chains').where('chain', '=', chain).execute();
  await tx
    .insertInto('followed_chains')
    .values({ chain, number: Number(at.number), hash: at.hash, followed_at: now })
    .execute();
  await putBlocks(tx, chain, [at]);
  await watchContracts(tx, chain, contracts, Number(at.number));
}

/** Watches exactly these contracts. New ones are watched from the given block on, and returned. */
export async function watchContracts(
  tx: Sql,
  chain: string,
  contracts: readonly string[],
  number: number,
): Promise<string[]> {
  const { rows } = await sql<{ reference: string }>`
    with wanted as materialized (select reference from unnest(${[...contracts]}::text[]) as c (reference)),
    gone as (
      delete from followed_contracts f
      where f.chain = ${chain} and not exists (select from wanted w where w.reference = f.reference)
    )
    insert into followed_contracts (chain, reference, since_number)
    select ${chain}, reference, ${number} from wanted
    on conflict (chain, reference) do nothing
    returning reference`.execute(tx);
  return rows.map((row) => row.reference);
}

/** Adds and removes watched contracts. New ones are watched from the given block on, and returned. */
export async function rewatch(
  tx: Sql,
  chain: string,
  { added, gone }: { added: readonly string[]; gone: readonly string[] },
  number: number,
): Promise<string[]> {
  const { rows } = await sql<{ reference: string }>`
    with gone as (delete from followed_contracts where chain = ${chain} and reference = any(${[...gone]}::text[]))
    insert into followed_contracts (chain, reference, since_number)
    select ${chain}, reference, ${number} from unnest(${[...added]}::text[]) as c (reference)
    on conflict (chain, reference) do nothing
    returning reference`.execute(tx);
  return rows.map((row) => row.reference);
}

/** Advances a chain, unless another process already has. */
export async function moveChain(tx: Tx, chain: string, from: ChainCursor, to: ChainCursor): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('followed_chains')
    .set({ number: Number(to.number), hash: to.hash })
    .where('chain', '=', chain)
    .where('number', '=', Number(from.number))
    .where('hash', '=', from.hash)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** How far chains are followed; chains that are not followed are absent. */
export function selectFollowed(
  db: Sql,
  chains: readonly string[],
): Promise<{ chain: string; number: number; followed_at: Date }[]> {
  return db
    .selectFrom('followed_chains')
    .select(['chain', 'number', 'followed_at'])
    .where('chain', '=', (eb) => eb.fn.any(eb.val([...chains])))
    .orderBy('chain')
    .execute();
}

/** Records that the head of the chain was reached. */
export async function markFollowed(db: Sql, chain: string, now: Date): Promise<void> {
  await db.updateTable('followed_chains').set({ followed_at: now }).where('chain', '=', chain).execute();
}

export async function putBlocks(tx: Tx, chain: string, blocks: readonly ChainCursor[]): Promise<void> {
  await sql`
    insert into followed_blocks (chain, number, hash)
    select ${chain}, number, hash
    from unnest(${blocks.map((block) => block.number)}::bigint[], ${blocks.map((block) => block.hash)}::text[]) as b (number, hash)
    on conflict (chain, number) do update set hash = excluded.hash`.execute(tx);
}

/** Stores changes in case their blocks are orphaned, and deletes holdings that were read before them. */
export async function putChanges(tx: Tx, chain: string, changes: readonly PassedChange[]): Promise<void> {
  if (changes.length === 0) return;
  await sql`
    with changed as (
      select distinct reference, account, number
      from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as c (reference text, account text, number bigint)
    ),
    forgotten as (
      delete from read_holdings h using changed c
      where h.chain = ${chain} and h.reference = c.reference and h.account = c.account and h.block_number < c.number
    )
    insert into followed_changes (chain, reference, account, number)
    select ${chain}, reference, account, number from changed
    on conflict do nothing`.execute(tx);
}

type Account = { reference: string; account: string };

/**
 * Deletes holdings that were read in orphaned blocks, now that other blocks at those heights have been followed.
 * Returns their accounts.
 */
export async function dropOrphanedReads(tx: Tx, chain: string, blocks: readonly ChainCursor[]): Promise<Account[]> {
  const { rows } = await sql<Account>`
    delete from read_holdings h
    using unnest(${blocks.map((block) => block.number)}::bigint[], ${blocks.map((block) => block.hash)}::text[]) as b (number, hash)
    where h.chain = ${chain} and h.block_number = b.number and h.block_hash <> b.hash
    returning h.reference, h.account`.execute(tx);
  return rows;
}

/** Undoes everything after a block. Returns the accounts whose holdings changed or were read there. */
export async function undoBlocks(tx: Tx, chain: string, after: number): Promise<Account[]> {
  const { rows } = await sql<Account>`
    with blocks as (delete from followed_blocks where chain = ${chain} and number > ${after}),
    changes as (delete from followed_changes where chain = ${chain} and number > ${after} returning reference, account),
    reads as (
      delete from read_holdings where chain = ${chain} and block_number > ${after} returning reference, account
    ),
    changed as (
      delete from read_holdings h using changes c
      where h.chain = ${chain} and h.reference = c.reference and h.account = c.account and h.block_number <= ${after}
    )
    select reference, account from changes union select reference, account from reads`.execute(tx);
  return rows;
}

/** Deletes blocks that are too deep to be orphaned, and holdings that are older than the changes in them. */
export async function pruneBlocks(tx: Tx, chain: string, before: number): Promise<void> {
  await sql`
    with changes as (
      delete from followed_changes where chain = ${chain} and number < ${before} returning reference, account, number
    ),
    blocks as (delete from followed_blocks where chain = ${chain} and number < ${before})
    delete from read_holdings h using changes c
    where h.chain = ${chain} and h.reference = c.reference and h.account = c.account and h.block_number < c.number`.execute(
    tx,
  );
}

/** Deletes all stored holdings of a chain. */
export async function forgetHoldings(tx: Tx, chain: string): Promise<void> {
  await tx.deleteFrom('read_holdings').where('chain', '=', chain).execute();
}
