import { feature } from '../../feature.ts';
import { totpErasure } from './forget.ts';
import { totpJobs, totpSchedules } from './jobs.ts';
import { totp } from './operations.ts';
import { totpSealed } from './sealed-columns.ts';

export const totpFeature = feature('totp', {
  resources: [totp],
  jobs: totpJobs,
  schedules: totpSchedules,
  sealed: totpSealed,
  erasures: [totpErasure],
  tables: ['totp_enrolments', 'totp_guards'],
});
