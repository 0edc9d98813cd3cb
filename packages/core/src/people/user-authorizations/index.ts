export { findRemembered, noteAuthorization, takeConsent } from './consent.ts';
export { consentPurposeOf, issueConsentToken } from './consent-token.ts';
export { userAuthorizationsErasure } from './forget.ts';
export { userAuthorizationJobs, userAuthorizationSchedules } from './jobs.ts';
export { userAuthorizations } from './operations.ts';
export { listAuthorizations } from './queries.ts';
export { getUserAuthorizations } from './reads.ts';
export { deleteUserAuthorization } from './remove.ts';
export type { UserAuthorization } from './user-authorization.ts';
