import { job, type Schedule, shape, T } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { revokeUnused } from './revoke-unused.ts';

const revoke = job(
  'reddit-consent.revoke-unused',
  { payload: shape(T.Record(T.String(), T.Never())), timeoutSeconds: 600 },
  (ctx: Context, _payload, { signal }) => revokeUnused(ctx, signal),
);

export const redditConsentJobs = [revoke] as const;

export const redditConsentSchedules: readonly Schedule[] = [{ name: revoke.name, cron: '* * * * *', job: revoke }];
