import { defineModule } from '../../shared/module.ts';
import { snapshotJobs, snapshotSchedules } from './jobs.ts';
import { snapshot } from './operations.ts';
import { snapshotErasure } from './queries.ts';

export const snapshotModule = defineModule('snapshot', {
  resources: [snapshot],
  jobs: snapshotJobs,
  schedules: snapshotSchedules,
  erasures: [snapshotErasure],
  tables: ['snapshot_links', 'snapshot_events', 'snapshot_posts'],
});
