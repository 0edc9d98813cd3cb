import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { clientAppsErasure } from './forget.ts';
import { clientApps, clientSecretOperations } from './operations.ts';

export const clientAppsFeature = feature('client-apps', {
  resources: [clientApps, ownOperations(clientSecretOperations)],
  erasures: [clientAppsErasure],
  tables: ['client_apps', 'client_app_origins'],
});
