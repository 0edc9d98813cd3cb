import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteExpired } from './interaction-state.ts';

const batchSize = 5_000;

export const removeExpiredInteractions = job(
  'discord.remove-expired-interactions',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>, _payload, { signal }) => {
    while (!signal.aborted && (await deleteExpired(ctx.db.system, ctx.clock(), batchSize)) === batchSize);
  },
);

export const discordJobs = [removeExpiredInteractions] as const;

export const discordSchedules: readonly Schedule[] = [
  { name: 'discord.remove-expired-interactions', cron: '23 * * * *', job: removeExpiredInteractions },
];
