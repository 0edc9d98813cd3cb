import { deleteJobsNaming, sql } from '@latchkey/db';
import type { Erasure } from '../../shared/module.ts';

/** Forgets what requests of a person left behind: answers kept for repetition, counters, and jobs that name the person. */
export const tracesErasure: Erasure = {
  columns: ['idempotent_requests.caller', 'rate_windows.bucket', 'jobs.payload', 'account_erasures.user_id'],
  stage: 'once-settled',
  forget: async (_ctx, tx, { userId, clientIds, wallets }) => {
    const callers = [userId, ...clientIds.map((id) => `$app/${id}`)];
    await tx
      .deleteFrom('idempotent_requests')
      .where('caller', '=', (eb) => eb.fn.any(eb.val(callers)))
      .execute();
    const buckets = [`user:${userId}/`, ...clientIds.map((id) => `client:${id}/`)];
    await sql`
      delete from rate_windows r using unnest(${buckets}::text[]) as b (name)
      where starts_with(r.bucket, b.name)`.execute(tx);
    await deleteJobsNaming(tx, [...callers, ...clientIds, ...wallets.map(({ address }) => address)]);
  },
};
