import { type Sql, sql, type Tx } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';
import type { SpendingBudget } from '../../shared/settings.ts';

export interface SpendingRow {
  coin: string;
  /** Identifies what was or will be sent; each is in the table once. */
  reference: string;
  caller_id: string;
  /** An integer in the smallest unit of the coin. */
  amount: string;
  created_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    spendings: SpendingRow;
  }
}

/** Serializes decisions about a coin. */
export async function lockCoin(tx: Tx, coin: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`spendings/${coin}`}, 0))`.execute(tx);
}

/** Sums what was spent or reserved since then, except for the reference itself. */
export async function sumSpendings(
  tx: Tx,
  { coin, reference, caller_id }: Pick<SpendingRow, 'coin' | 'reference' | 'caller_id'>,
  since: Date,
): Promise<{ total: bigint; ofCaller: bigint }> {
  const { rows } = await sql<{ total: string; of_caller: string }>`
    select coalesce(sum(amount), 0)::text as total,
      coalesce(sum(amount) filter (where caller_id = ${caller_id}), 0)::text as of_caller
    from spendings where coin = ${coin} and created_at > ${since} and reference <> ${reference}`.execute(tx);
  const [row] = rows;
  return { total: BigInt(row?.total ?? 0), ofCaller: BigInt(row?.of_caller ?? 0) };
}

export async function putSpending(tx: Tx, row: SpendingRow): Promise<void> {
  await tx
    .insertInto('spendings')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['coin', 'reference']).doUpdateSet({
        amount: sql`greatest(spendings.amount, excluded.amount)`,
        created_at: row.created_at,
      }),
    )
    .execute();
}

/** Refunds what will certainly never be paid. */
export async function releaseSpending(
  db: Sql,
  { coin, reference }: Pick<SpendingRow, 'coin' | 'reference'>,
): Promise<void> {
  await db.deleteFrom('spendings').where('coin', '=', coin).where('reference', '=', reference).execute();
}

/** The share of each budget that was spent or reserved in the last 24 hours: 1 when it is used up. */
export function spendingMetrics(budgets: Readonly<Record<string, Pick<SpendingBudget, 'total'>>>) {
  const totals = JSON.stringify(
    Object.fromEntries(Object.entries(budgets).map(([coin, { total }]) => [coin, `${total}`])),
  );
  return sql`
    select 'budget-used' as metric, key as label,
      coalesce(coalesce((select sum(amount) from spendings where coin = key and created_at > now() - interval '1 day'), 0)
        / nullif(value::numeric, 0), 1)::float8 as value
    from jsonb_each_text(${totals}::jsonb)`;
}

/** Deletes who an expense was for. The expense itself still counts. */
export const spendingErasure: Erasure = {
  columns: ['spendings.caller_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    await tx.updateTable('spendings').set({ caller_id: pseudonym }).where('caller_id', '=', userId).execute();
  },
};
