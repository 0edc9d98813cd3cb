import { asJson, type Sql, sql } from '@latchkey/db';
import type { NftTraits } from './summarize-traits.ts';

export interface CollectionTraitsRow {
  chain_id: number;
  address: string;
  traits: NftTraits[] | null;
  due_at: Date;
  read_at: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    collection_traits: CollectionTraitsRow;
  }
}

export function selectTraits(db: Sql, chainId: number, address: string): Promise<CollectionTraitsRow | undefined> {
  return db
    .selectFrom('collection_traits')
    .selectAll()
    .where('chain_id', '=', chainId)
    .where('address', '=', address)
    .executeTakeFirst();
}

/** Claims a collection for reading until `until`. Returns true for only one of several callers. */
export async function claimCollection(
  db: Sql,
  chainId: number,
  address: string,
  now: Date,
  until: Date,
): Promise<boolean> {
  const { rows } = await sql`
    insert into collection_traits (chain_id, address, due_at) values (${chainId}, ${address}, ${until})
    on conflict (chain_id, address) do update set due_at = excluded.due_at where collection_traits.due_at <= ${now}
    returning address`.execute(db);
  return rows.length === 1;
}

export async function saveTraits(
  db: Sql,
  { chain_id, address, traits, due_at, read_at }: CollectionTraitsRow,
): Promise<void> {
  await db
    .updateTable('collection_traits')
    .set({ traits: asJson(traits), due_at, read_at })
    .where('chain_id', '=', chain_id)
    .where('address', '=', address)
    .execute();
}

/** Schedules another try for a collection that could not be read. */
export async function postpone(db: Sql, chainId: number, address: string, dueAt: Date): Promise<void> {
  await db
    .updateTable('collection_traits')
    .set({ due_at: dueAt })
    .where('chain_id', '=', chainId)
    .where('address', '=', address)
    .execute();
}

/** Deletes collections that were not requested for a long time; any address can be requested, so rows pile up. */
export async function deleteUnrequested(db: Sql, dueBefore: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from collection_traits where (chain_id, address) in (
      select chain_id, address from collection_traits where due_at < ${dueBefore} limit ${limit}
    )`.execute(db);
  return Number(numAffectedRows ?? 0n);
}
