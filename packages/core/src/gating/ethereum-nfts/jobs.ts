import { addMs, job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteUnrequested } from './queries.ts';

const batchSize = 5_000;
const keptMs = 30 * 24 * 60 * 60 * 1000;

export const forgetCollections = job(
  'ethereum-nfts.forget-collections',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    const dueBefore = addMs(ctx.clock(), -keptMs);
    // In batches, so that no statement holds many locks or runs into its time limit.
    while (!signal.aborted && (await deleteUnrequested(ctx.db.system, dueBefore, batchSize)) === batchSize);
  },
);

export const nftJobs = [forgetCollections] as const;

export const nftSchedules: readonly Schedule[] = [
  { name: 'ethereum-nfts.forget-collections', cron: '41 3 * * *', job: forgetCollections },
];
