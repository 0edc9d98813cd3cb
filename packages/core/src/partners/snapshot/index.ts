export { snapshotErasure } from './forget.ts';
export { snapshotJobs, snapshotSchedules } from './jobs.ts';
export { snapshot } from './operations.ts';
