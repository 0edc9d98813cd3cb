import { defineModule } from '../../shared/module.ts';
import { accessControlJobs, accessControlSchedules } from './jobs.ts';
import { accessControl } from './operations.ts';
import { accessControlErasure } from './queries.ts';

export const accessControlModule = defineModule('access-control', {
  resources: [accessControl],
  jobs: accessControlJobs,
  schedules: accessControlSchedules,
  erasures: [accessControlErasure],
  tables: ['role_checks'],
});
