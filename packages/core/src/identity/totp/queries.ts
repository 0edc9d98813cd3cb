import type { Sealed, Sql, Tx } from '@latchkey/db';

export interface Enrolment {
  user_id: string;
  request_id: string;
  state: 'pending' | 'confirmed' | 'retired';
  /** Null once retired. */
  secret: Sealed | null;
  used_steps: number[];
  created_at: Date;
  expires_at: Date;
}

export interface Guard {
  user_id: string;
  wrong_tries: number;
  locked_until: Date | null;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    totp_enrolments: Enrolment;
    totp_guards: Guard;
  }
}

/** Locks out other transactions about this user's codes until this one ends. */
export async function lockGuard(tx: Tx, userId: string): Promise<Guard> {
  await tx
    .insertInto('totp_guards')
    .values({ user_id: userId, wrong_tries: 0, locked_until: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return tx.selectFrom('totp_guards').selectAll().where('user_id', '=', userId).forUpdate().executeTakeFirstOrThrow();
}

export async function updateGuard(tx: Tx, guard: Guard): Promise<void> {
  const { user_id, ...values } = guard;
  await tx.updateTable('totp_guards').set(values).where('user_id', '=', user_id).execute();
}

export function findEnrolment(tx: Tx, userId: string, requestId: string): Promise<Enrolment | undefined> {
  return tx
    .selectFrom('totp_enrolments')
    .selectAll()
    .where('user_id', '=', userId)
    .where('request_id', '=', requestId)
    .executeTakeFirst();
}

/** Lists the confirmed enrolments and those that can still be confirmed, oldest first. */
export function listLive(tx: Tx, userId: string, now: Date): Promise<Enrolment[]> {
  return tx
    .selectFrom('totp_enrolments')
    .selectAll()
    .where('user_id', '=', userId)
    .where(({ eb, or, and }) =>
      or([eb('state', '=', 'confirmed'), and([eb('state', '=', 'pending'), eb('expires_at', '>', now)])]),
    )
    .orderBy('created_at')
    .orderBy('request_id')
    .execute();
}

export async function insertEnrolment(tx: Tx, row: Enrolment): Promise<void> {
  await tx.insertInto('totp_enrolments').values(row).execute();
}

export async function updateEnrolment(tx: Tx, key: Enrolment, values: Partial<Enrolment>): Promise<void> {
  await tx
    .updateTable('totp_enrolments')
    .set(values)
    .where('user_id', '=', key.user_id)
    .where('request_id', '=', key.request_id)
    .execute();
}

export async function retireExpired(sql: Sql, now: Date): Promise<void> {
  await sql
    .updateTable('totp_enrolments')
    .set({ state: 'retired', secret: null })
    .where('state', '=', 'pending')
    .where('expires_at', '<=', now)
    .execute();
}

export async function deleteRetired(sql: Sql, before: Date): Promise<void> {
  await sql.deleteFrom('totp_enrolments').where('state', '=', 'retired').where('expires_at', '<=', before).execute();
}
