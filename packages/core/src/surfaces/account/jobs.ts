import { type JobKind, job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import type { AccountEraser } from './erase-account.ts';

/** The jobs that continue erasures, also after a crash. */
export function createErasureJobs({ finishErasures }: Pick<AccountEraser, 'finishErasures'>): {
  jobs: readonly JobKind[];
  schedules: readonly Schedule[];
} {
  const finish = job(
    'account.finish-erasures',
    { payload: shape(T.Record(T.String(), T.Never())), timeoutSeconds: 300 },
    (ctx: Context, _payload, { signal }) => finishErasures(ctx, signal),
  );
  return {
    jobs: [finish as JobKind],
    schedules: [{ name: 'account.finish-erasures', cron: '* * * * *', job: finish }],
  };
}
