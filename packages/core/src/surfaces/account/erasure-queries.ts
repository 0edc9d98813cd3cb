import { deleteJobsNaming, type Sealed, type Sql, type Tx } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import type { Erasure, Person, SealedColumn } from '../../shared/module.ts';

declare module '@latchkey/db/tables' {
  interface Tables {
    account_erasures: { user_id: string; content: Sealed; requested_at: Date };
  }
}

type KeepContext = Pick<Context, 'clock' | 'keyring'>;

/** Stores what identifies a person until all of it is deleted. The time of the first request is kept. */
export async function insertErasure(ctx: KeepContext, tx: Tx, person: Person): Promise<void> {
  const content = ctx.keyring.seal(erasurePlace(person.userId), JSON.stringify(person));
  await tx
    .insertInto('account_erasures')
    .values({ user_id: person.userId, content, requested_at: ctx.clock() })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ content }))
    .execute();
}

export async function findErasure(ctx: KeepContext, tx: Tx, userId: string): Promise<Person | undefined> {
  return (await lockErasure(ctx, tx, userId))?.person;
}

/** The state of a pending erasure; locked for others until this transaction ends. */
export async function lockErasure(
  ctx: KeepContext,
  tx: Tx,
  userId: string,
): Promise<{ person: Person; requestedAt: Date } | undefined> {
  const row = await tx
    .selectFrom('account_erasures')
    .selectAll()
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  // Sealed text is authenticated, so it can only be what insertErasure wrote.
  const person = JSON.parse(ctx.keyring.openText(erasurePlace(userId), row.content)) as Person;
  return { person, requestedAt: row.requested_at };
}

/** The accounts with a pending erasure, oldest first. */
export async function selectErasures(db: Sql): Promise<string[]> {
  const rows = await db
    .selectFrom('account_erasures')
    .select('user_id')
    .orderBy('requested_at')
    .orderBy('user_id')
    .execute();
  return rows.map((row) => row.user_id);
}

export async function deleteErasure(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('account_erasures').where('user_id', '=', userId).execute();
}

function erasurePlace(userId: string): string {
  return `account_erasures.content:${userId}`;
}

/** Deletes the jobs that contain a person's id, or those of their apps or wallets. */
export const tracesErasure: Erasure = {
  columns: ['jobs.payload', 'account_erasures.user_id'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId, clientIds, wallets }) => {
    const callers = [userId, ...clientIds.map((id) => `$app/${id}`)];
    await deleteJobsNaming(tx, [...callers, ...clientIds, ...wallets.map(({ address }) => address)]);
  },
};

/** The sealed column of this module, for master key rotation. */
export const accountSealed: readonly SealedColumn[] = [
  {
    table: 'account_erasures',
    column: 'content',
    idColumns: ['user_id'],
    placeOf: (userId = '') => erasurePlace(userId),
  },
];
