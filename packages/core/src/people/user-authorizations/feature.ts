import { feature } from '../../feature.ts';
import { userAuthorizationsErasure } from './forget.ts';
import { userAuthorizationJobs, userAuthorizationSchedules } from './jobs.ts';
import { userAuthorizations } from './operations.ts';

export const userAuthorizationsFeature = feature('user-authorizations', {
  resources: [userAuthorizations],
  jobs: userAuthorizationJobs,
  schedules: userAuthorizationSchedules,
  erasures: [userAuthorizationsErasure],
  tables: ['user_authorizations', 'consent_decisions'],
});
