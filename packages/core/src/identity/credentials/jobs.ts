import { job, type Schedule, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { purgeExpiredCredentials } from './purge.ts';

const nothing = T.Unsafe<Record<string, never>>(T.Object({}, { additionalProperties: false }));

const resyncJob = job(
  'credentials.purge',
  { payload: nothing, timeoutSeconds: 600 },
  async (ctx: Pick<Context, 'clock' | 'db' | 'log'>, _payload, { signal }) => {
    const swept = await purgeExpiredCredentials(ctx, signal);
    ctx.log.debug('Expired credentials were deleted.', { swept });
  },
);

export const credentialJobs = [resyncJob];

export const credentialSchedules: readonly Schedule[] = [
  { name: 'credentials.purge', cron: '37 * * * *', job: resyncJob },
];
