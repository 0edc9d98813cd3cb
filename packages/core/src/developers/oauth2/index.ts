export { claimsOf, findAccount, type OauthAccount, rememberAccount } from './account.ts';
export {
  type ArtifactContent,
  consumeArtifact,
  findArtifact,
  findSessionByUid,
  putArtifact,
  removeArtifact,
} from './artifact.ts';
export { type AuthorizationRequest, findAuthorizationRequest } from './authorization-request.ts';
export { oauth2Feature } from './feature.ts';
export { findMaker } from './find-maker.ts';
export { endGrant, findGrant, type GrantContent, putGrant } from './grant.ts';
export { describeScopes, type SortedScopes, sortScopes } from './grantable-scopes.ts';
export { introspectOwnToken, type OwnTokenQuestion } from './introspect-own-token.ts';
export { type LivingClaims, readLivingClaims, stillHold } from './living-claims.ts';
export { parseLivingScope } from './living-scope.ts';
export {
  clientAuthMethods,
  codeChallengeMethods,
  grantTypes,
  lifetimes,
  logoutPath,
  scopeClaims,
  signingAlg,
  userinfoPath,
} from './protocol.ts';
export { endProviderToken, findProviderToken, type ProviderToken, putProviderToken } from './provider-token.ts';
export { type ArtifactKind, deleteBrowserSessions, markGrantsRevoked } from './queries.ts';
export { isLoopback, isRegistered } from './redirect-uri.ts';
export { canonicalScopes, findForbiddenOwnScope, findForbiddenScope } from './requested-scopes.ts';
