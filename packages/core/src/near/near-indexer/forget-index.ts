import type { Context } from '../../shared/context.ts';
import { nearIndexTables } from './tables.ts';

/** Empties the index, for a network that was reset and has a new history. */
export async function forgetNearIndex({ db }: Pick<Context, 'db'>): Promise<void> {
  await db.transaction('system', async (tx) => {
    for (const table of nearIndexTables) await tx.deleteFrom(table).execute();
  });
}
