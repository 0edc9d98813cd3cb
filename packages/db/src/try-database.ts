import { sql } from 'kysely';
import type { Database } from './database.ts';
import { proofIn } from './tenant-login/tenant-transactions.ts';

const nobody = 'nobody';
const noJobs = '[]';

/**
 * Tries what every request needs: a tenant's transaction in which the database knows the tenant and accepts jobs, and a
 * system that may write. It enqueues no job and reads no row, so it leaves nothing behind, but a read-only database
 * refuses it.
 */
export async function tryDatabase(db: Pick<Database, 'transaction' | 'pool'>): Promise<void> {
  await db.transaction({ owner: nobody }, async (tx) => {
    const proof = proofIn(tx)?.('jobs', noJobs);
    await sql`select from enqueue_jobs(${noJobs}, ${proof})`.execute(tx);
    const { rows } = await sql<{ tenant: string | null }>`select current_tenant() as tenant`.execute(tx);
    if (rows[0]?.tenant !== nobody) throw new Error('The database does not know the tenant of a transaction.');
  });
  await db.pool.query('delete from jobs where false');
}
