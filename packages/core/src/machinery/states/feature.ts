import { feature } from '../../feature.ts';
import { slugsErasure } from './forget.ts';
import { stateJobs, stateSchedules } from './jobs.ts';
import { slugs, states } from './operations.ts';
import { slugsSealed } from './sealed-columns.ts';

export const statesFeature = feature('states', {
  resources: [slugs, states],
  jobs: stateJobs,
  schedules: stateSchedules,
  sealed: slugsSealed,
  erasures: [slugsErasure],
  tables: ['slugs'],
});
