import type { Sql, Tx } from '@latchkey/db';
import type { ColumnType } from 'kysely';
import type { Erasure } from '../../shared/module.ts';
import type { RuleWallet } from '../rules/index.ts';
import type { RoleAnswer } from './token-gating.ts';

type Json<Value> = ColumnType<Value, string, string>;

interface CheckTable {
  id: string;
  owner_id: string;
  client_id: string | null;
  wallets: Json<RuleWallet[]>;
  rules: Json<Record<string, unknown>[]>;
  callback_url: string | null;
  answer: Json<RoleAnswer> | null;
  created_at: Date;
  expires_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    role_checks: CheckTable;
  }
}

type NewCheck = Omit<CheckTable, 'wallets' | 'rules' | 'answer'> & { wallets: string; rules: string; answer: null };

export async function insertCheck(tx: Tx, row: NewCheck): Promise<void> {
  await tx.insertInto('role_checks').values(row).execute();
}

export function selectCheck(sql: Sql, id: string, now: Date) {
  return sql
    .selectFrom('role_checks')
    .selectAll()
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** Stores a result. Returns false if there already is one: the first one stays. */
export async function putAnswer(tx: Tx, id: string, answer: RoleAnswer): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('role_checks')
    .set({ answer: JSON.stringify(answer) })
    .where('id', '=', id)
    .where('answer', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes up to `limit` expired rows and returns how many. */
export async function deleteExpiredChecks(sql: Sql, now: Date, limit: number): Promise<number> {
  const expired = sql.selectFrom('role_checks').select('id').where('expires_at', '<=', now).limit(limit);
  const result = await sql.deleteFrom('role_checks').where('id', 'in', expired).executeTakeFirst();
  return Number(result.numDeletedRows);
}

/** Deletes the role checks that a person, or an app of theirs, requested. */
export const accessControlErasure: Erasure = {
  columns: ['role_checks.owner_id'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, clientIds }) => {
    const owners = [userId, ...clientIds.map((id) => `$app/${id}`)];
    await tx
      .deleteFrom('role_checks')
      .where('owner_id', '=', (eb) => eb.fn.any(eb.val(owners)))
      .execute();
  },
};
