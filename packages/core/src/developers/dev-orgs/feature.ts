import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { devOrgsErasure } from './forget.ts';
import { devOrgJobs } from './jobs.ts';
import { devOrgOwnOperations, devOrgs } from './operations.ts';
import { devOrgsSealed } from './sealed-columns.ts';

export const devOrgsFeature = feature('dev-orgs', {
  resources: [devOrgs, ownOperations(devOrgOwnOperations)],
  jobs: devOrgJobs,
  sealed: devOrgsSealed,
  erasures: [devOrgsErasure],
  tables: ['organizations', 'organization_otps', 'organization_wallets'],
});
