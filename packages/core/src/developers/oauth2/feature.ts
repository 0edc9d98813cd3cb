import { feature } from '../../feature.ts';
import { oauth2Erasure } from './forget.ts';
import { oauth2Jobs, oauth2Schedules } from './jobs.ts';
import { oauth2 } from './operations.ts';
import { oauth2Sealed } from './sealed-columns.ts';

export const oauth2Feature = feature('oauth2', {
  resources: [oauth2],
  jobs: oauth2Jobs,
  schedules: oauth2Schedules,
  sealed: oauth2Sealed,
  erasures: [oauth2Erasure],
  tables: ['oauth_accounts', 'oauth_artifacts', 'oauth_grants'],
});
