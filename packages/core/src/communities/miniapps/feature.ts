import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { miniAppsErasure } from './forget.ts';
import { installationOperations } from './installation-operations.ts';
import { miniAppJobs, miniAppSchedules } from './jobs.ts';
import { marketplace } from './marketplace.ts';
import { miniAppOwnOperations, miniapps } from './operations.ts';
import { miniAppsSealed } from './sealed-columns.ts';

export const miniappsFeature = feature('miniapps', {
  resources: [miniapps, marketplace, ownOperations(miniAppOwnOperations), ownOperations(installationOperations)],
  jobs: miniAppJobs,
  schedules: miniAppSchedules,
  sealed: miniAppsSealed,
  erasures: [miniAppsErasure],
  tables: ['permission_questions', 'mini_apps'],
});
