import { feature } from '../../shared/feature.ts';
import { accessControlErasure } from './forget.ts';
import { accessControlJobs, accessControlSchedules } from './jobs.ts';
import { accessControl } from './operations.ts';

export const accessControlFeature = feature('access-control', {
  resources: [accessControl],
  jobs: accessControlJobs,
  schedules: accessControlSchedules,
  erasures: [accessControlErasure],
  tables: ['role_checks'],
});
