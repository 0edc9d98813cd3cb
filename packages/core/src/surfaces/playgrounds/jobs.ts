import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { removeEnded } from './end.ts';

export const removeEndedPlaygrounds = job(
  'playgrounds.remove-ended',
  { payload: shape(T.Record(T.String(), T.Never())) },
  (ctx: Context, _payload, { signal }) => removeEnded(ctx, signal),
);

export const playgroundJobs = [removeEndedPlaygrounds] as const;

export const playgroundSchedules: readonly Schedule[] = [
  { name: 'playgrounds.remove-ended', cron: '* * * * *', job: removeEndedPlaygrounds },
];
