import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteExpired } from './queries.ts';

const batchSize = 5_000;

export const removeExpiredChallenges = job(
  'webauthn.remove-expired',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    // In batches, so that no statement holds many locks or exceeds its timeout.
    while (!signal.aborted && (await deleteExpired(ctx.db.system, ctx.clock(), batchSize)) === batchSize);
  },
);

export const webauthnJobs = [removeExpiredChallenges] as const;

// Anyone can request challenges, so they are purged more often than data of signed-in users.
export const webauthnSchedules: readonly Schedule[] = [
  { name: 'webauthn.remove-expired', cron: '*/10 * * * *', job: removeExpiredChallenges },
];
