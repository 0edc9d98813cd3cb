import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { authenticatorOperations } from './authenticator-operations.ts';
import { totpErasure } from './forget.ts';
import { totpJobs, totpSchedules } from './jobs.ts';
import { totp } from './operations.ts';
import { totpSealed } from './sealed-columns.ts';

export const totpFeature = feature('totp', {
  resources: [totp, ownOperations(authenticatorOperations)],
  jobs: totpJobs,
  schedules: totpSchedules,
  sealed: totpSealed,
  erasures: [totpErasure],
  tables: ['totp_enrolments', 'totp_guards'],
});
