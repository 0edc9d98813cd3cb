import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { analyticsJobs, analyticsSchedules } from './jobs.ts';
import { analytics } from './operations.ts';
import { seriesOperations } from './own-operations.ts';

export const analyticsModule = defineModule('analytics', {
  resources: [analytics, ownOperations(seriesOperations)],
  jobs: analyticsJobs,
  schedules: analyticsSchedules,
  tables: ['community_days'],
});
