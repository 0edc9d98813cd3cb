import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { xAccountErasure } from './forget.ts';
import { xAccountJobs, xAccountSchedules } from './jobs.ts';
import { xAccountOperations } from './operations.ts';
import { xAccountSealed } from './sealed-columns.ts';

export const xAccountFeature = feature('x-account', {
  resources: [ownOperations(xAccountOperations)],
  jobs: xAccountJobs,
  schedules: xAccountSchedules,
  sealed: xAccountSealed,
  erasures: [xAccountErasure],
  tables: ['account_link_attempts'],
});
