import { feature } from '../../feature.ts';
import { miniAppsErasure } from './forget.ts';
import { miniAppJobs, miniAppSchedules } from './jobs.ts';
import { marketplace } from './marketplace.ts';
import { miniapps } from './operations.ts';
import { miniAppsSealed } from './sealed-columns.ts';

export const miniappsFeature = feature('miniapps', {
  resources: [miniapps, marketplace],
  jobs: miniAppJobs,
  schedules: miniAppSchedules,
  sealed: miniAppsSealed,
  erasures: [miniAppsErasure],
  tables: ['permission_questions', 'mini_apps'],
});
