import { type Sql, sql } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';

/** Deletes a user's applications. Their keys and tokens stop working with the transaction. */
export const clientAppsErasure: Erasure = {
  columns: ['client_apps.created_by_id', 'client_apps.created_by_name', 'client_apps.email', 'client_apps.actions'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym, clientIds }) => {
    await tx
      .deleteFrom('client_apps')
      .where('id', '=', (eb) => eb.fn.any(eb.val([...clientIds])))
      .execute();
    // The user may have acted on an application owned by another user: clear them from its trail.
    const [named, unnamed] = [JSON.stringify(userId), JSON.stringify(pseudonym)];
    await sql`
      update client_apps set actions = replace(actions::text, ${named}, ${unnamed})::jsonb
      where strpos(actions::text, ${named}) > 0`.execute(tx);
  },
};

/** Returns the applications that a user created, in an organization or not. */
export async function clientIdsOf(db: Sql, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('client_apps').select('id').where('created_by_id', '=', userId).execute();
  return rows.map((row) => row.id);
}
