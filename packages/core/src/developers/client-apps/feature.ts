import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { clientAppsErasure } from './forget.ts';
import { clientAppJobs } from './jobs.ts';
import { clientAppKeyOperations } from './key-operations.ts';
import { clientApps, clientSecretOperations } from './operations.ts';

export const clientAppsFeature = feature('client-apps', {
  resources: [clientApps, ownOperations([...clientSecretOperations, ...clientAppKeyOperations])],
  jobs: clientAppJobs,
  erasures: [clientAppsErasure],
  tables: ['client_apps', 'client_app_origins'],
});
