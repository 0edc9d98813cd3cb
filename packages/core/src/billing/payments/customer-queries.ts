import type { Sql } from '@latchkey/db';

interface CustomerRow {
  created_by_id: string;
  id: string;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    payment_customers: CustomerRow;
  }
}

export async function selectCustomer(db: Sql, payerId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('payment_customers')
    .select('id')
    .where('created_by_id', '=', payerId)
    .executeTakeFirst();
  return row?.id;
}

/** Stores a payer's id at the provider; the first one is kept. */
export async function insertCustomer(db: Sql, row: CustomerRow): Promise<string> {
  await db
    .insertInto('payment_customers')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await selectCustomer(db, row.created_by_id)) ?? row.id;
}

export async function deleteCustomer(db: Sql, id: string): Promise<void> {
  await db.deleteFrom('payment_customers').where('id', '=', id).execute();
}
