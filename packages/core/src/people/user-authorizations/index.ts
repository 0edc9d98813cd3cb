export { findRemembered, noteAuthorization, takeConsent } from './consent.ts';
export { consentPurposeOf, issueConsentToken } from './consent-token.ts';
export { userAuthorizationsFeature } from './feature.ts';
export { listAuthorizations } from './queries.ts';
export { getUserAuthorizations } from './reads.ts';
export { deleteUserAuthorization } from './remove.ts';
export type { UserAuthorization } from './user-authorization.ts';
