import { job, type Schedule, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { sweepCredentials } from './sweep.ts';

const nothing = T.Unsafe<Record<string, never>>(T.Object({}, { additionalProperties: false }));

const sweepJob = job(
  'credentials.sweep',
  { payload: nothing, timeoutSeconds: 600 },
  async (ctx: Pick<Context, 'clock' | 'db' | 'log'>, _payload, { signal }) => {
    const swept = await sweepCredentials(ctx, signal);
    ctx.log.debug('Expired credentials were deleted.', { swept });
  },
);

export const credentialJobs = [sweepJob];

export const credentialSchedules: readonly Schedule[] = [
  { name: 'credentials.sweep', cron: '37 * * * *', job: sweepJob },
];
