import { type Sql, sql } from '@latchkey/db';

export interface CallerSpending {
  coin: string;
  callerId: string;
  /** In the smallest unit of the coin. */
  amount: bigint;
}

/** Lists what was paid or reserved since then, by coin and caller, largest amounts first. */
export async function listSpendings(db: Sql, since: Date): Promise<CallerSpending[]> {
  const { rows } = await sql<{ coin: string; caller_id: string; amount: string }>`
    select coin, caller_id, sum(amount)::text as amount from spendings
    where created_at > ${since} group by coin, caller_id order by coin, sum(amount) desc, caller_id`.execute(db);
  return rows.map(({ coin, caller_id, amount }) => ({ coin, callerId: caller_id, amount: BigInt(amount) }));
}
