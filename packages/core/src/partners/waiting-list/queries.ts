import { type Sql, sql, type Tx } from '@latchkey/db';
import type { Generated } from 'kysely';
import type { Erasure } from '../../shared/module.ts';

type Method = 'guest' | 'chain';

declare module '@latchkey/db/tables' {
  interface Tables {
    waiting_list_guests: { user_id: string; added_at: Date };
    waiting_list_members: { user_id: string; method: Method; registered_at: Date };
    paymaster_grants: { id: Generated<number>; owner: string; granted_at: Date; transactions: number };
  }
}

export async function isGuest(db: Sql, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('waiting_list_guests')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertGuest(db: Sql, userId: string, now: Date): Promise<void> {
  await db
    .insertInto('waiting_list_guests')
    .values({ user_id: userId, added_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns false if the user was not invited. */
export async function deleteGuest(db: Sql, userId: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('waiting_list_guests')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

export async function isMember(db: Sql, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('waiting_list_members')
    .select('user_id')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

export async function insertMember(tx: Tx, userId: string, method: Method, now: Date): Promise<void> {
  await tx
    .insertInto('waiting_list_members')
    .values({ user_id: userId, method, registered_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Makes other requests wait, so that two concurrent ones cannot both be the last one allowed. */
export async function lockGrants(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('paymaster', 0))`.execute(tx);
}

/** Counts the transactions that were sponsored since then: for the owner, and for all. */
export async function countGranted(tx: Tx, owner: string, since: Date): Promise<{ ofOwner: number; total: number }> {
  const { rows } = await sql<{ of_owner: string; total: string }>`
    select coalesce(sum(transactions) filter (where owner = ${owner}), 0)::text as of_owner,
      coalesce(sum(transactions), 0)::text as total
    from paymaster_grants where granted_at > ${since}`.execute(tx);
  return { ofOwner: Number(rows[0]?.of_owner ?? 0), total: Number(rows[0]?.total ?? 0) };
}

export async function insertGrant(tx: Tx, owner: string, transactions: number, now: Date): Promise<void> {
  await tx.insertInto('paymaster_grants').values({ owner, transactions, granted_at: now }).execute();
}

export async function deleteGrantsBefore(db: Sql, oldest: Date): Promise<void> {
  await db.deleteFrom('paymaster_grants').where('granted_at', '<', oldest).execute();
}

/** Lists the users who are invited without paying after `after`, ordered by id. */
export function selectGuests(db: Sql, after: string, limit: number): Promise<{ user_id: string; added_at: Date }[]> {
  return db
    .selectFrom('waiting_list_guests')
    .selectAll()
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(limit)
    .execute();
}

export async function countMembers(db: Sql): Promise<number> {
  const row = await db
    .selectFrom('waiting_list_members')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Deletes that a user is on the list or was invited. The chain only has a hash that cannot be linked to anyone. */
export const waitingListErasure: Erasure = {
  columns: ['waiting_list_guests.user_id', 'waiting_list_members.user_id', 'paymaster_grants.owner'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, wallets }) => {
    await tx.deleteFrom('waiting_list_guests').where('user_id', '=', userId).execute();
    await tx.deleteFrom('waiting_list_members').where('user_id', '=', userId).execute();
    const owners = wallets.map(({ address }) => address.toLowerCase());
    await tx
      .deleteFrom('paymaster_grants')
      .where('owner', '=', (eb) => eb.fn.any(eb.val(owners)))
      .execute();
  },
};
