import type { Erasure } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { userAuthorizationJobs, userAuthorizationSchedules } from './jobs.ts';
import { userAuthorizations } from './operations.ts';
import { deleteAllOf } from './queries.ts';

export { findRemembered, noteAuthorization, takeConsent } from './consent.ts';
export {
  consentPurposeOf,
  deleteUserAuthorization,
  getUserAuthorizations,
  issueConsentToken,
  type UserAuthorization,
} from './operations.ts';
export { listAuthorizations } from './queries.ts';

/** Deletes the authorizations that a user gave to applications. */
const userAuthorizationsErasure: Erasure = {
  columns: ['user_authorizations.user_id', 'consent_decisions.user_id'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => deleteAllOf(tx, userId),
};

export const userAuthorizationsModule = defineModule('user-authorizations', {
  resources: [userAuthorizations],
  jobs: userAuthorizationJobs,
  schedules: userAuthorizationSchedules,
  erasures: [userAuthorizationsErasure],
  tables: ['user_authorizations', 'consent_decisions'],
});
