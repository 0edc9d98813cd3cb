import { feature } from '../../feature.ts';
import { devOrgsErasure } from './forget.ts';
import { devOrgJobs } from './jobs.ts';
import { devOrgs } from './operations.ts';
import { devOrgsSealed } from './sealed-columns.ts';

export const devOrgsFeature = feature('dev-orgs', {
  resources: [devOrgs],
  jobs: devOrgJobs,
  sealed: devOrgsSealed,
  erasures: [devOrgsErasure],
  tables: ['organizations', 'organization_otps', 'organization_wallets'],
});
