import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { settle } from './guest-pass.ts';
import { endGrants } from './queries.ts';

const batchSize = 200;

/** Ends expired passes and removes the roles they granted. Returns how many expired. */
export async function expireGuestPasses(ctx: Pick<Context, 'clock' | 'db'>, signal?: AbortSignal): Promise<number> {
  let expired = 0;
  for (let ended = batchSize; ended === batchSize && !signal?.aborted; expired += ended) {
    ended = await ctx.db.transaction('system', async (tx) => {
      const grants = await endGrants(tx, { dueAt: ctx.clock() }, batchSize);
      for (const grant of grants) await settle(tx, grant);
      return grants.length;
    });
  }
  return expired;
}

export const expirePasses = job(
  'guest-passes.expire',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    await expireGuestPasses(ctx, signal);
  },
);

export const guestPassJobs = [expirePasses] as const;

export const guestPassSchedules: readonly Schedule[] = [
  { name: 'guest-passes.expire', cron: '* * * * *', job: expirePasses },
];
