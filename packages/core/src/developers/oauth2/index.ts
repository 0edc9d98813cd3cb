import type { Erasure, SealedColumn } from '../../shared/module.ts';
import { defineModule } from '../../shared/module.ts';
import { contentPlace } from './artifact.ts';
import { oauth2Jobs, oauth2Schedules } from './jobs.ts';
import { oauth2 } from './operations.ts';
import { deleteAllOf } from './queries.ts';

export {
  type ArtifactContent,
  consumeArtifact,
  findArtifact,
  findSessionByUid,
  putArtifact,
  removeArtifact,
} from './artifact.ts';
export {
  type AuthorizationRequest,
  canonicalScopes,
  findAuthorizationRequest,
  findForbiddenOwnScope,
  findForbiddenScope,
  isLoopback,
  isRegistered,
} from './authorization-request.ts';
export { claimsOf, findAccount, findMaker, type OauthAccount, rememberAccount } from './find-maker.ts';
export { endGrant, findGrant, type GrantContent, putGrant } from './grant.ts';
export { describeScopes, type SortedScopes, sortScopes } from './grantable-scopes.ts';
export { type LivingClaims, readLivingClaims, stillHold } from './living-claims.ts';
export { parseLivingScope } from './living-scope.ts';
export {
  clientAuthMethods,
  codeChallengeMethods,
  grantTypes,
  lifetimes,
  logoutPath,
  pushPath,
  registrationPath,
  responseModes,
  scopeClaims,
  signingAlgs,
  userinfoPath,
} from './operations.ts';
export {
  endProviderToken,
  findProviderToken,
  introspectOwnToken,
  type OwnTokenQuestion,
  type ProviderToken,
  putProviderToken,
} from './provider-token.ts';
export { type ArtifactKind, deleteBrowserSessions, markGrantsRevoked } from './queries.ts';

/** Deletes a user's logins to applications, and everything that followed from them. */
export const oauth2Erasure: Erasure = {
  columns: ['oauth_accounts.user_id', 'oauth_accounts.name', 'oauth_artifacts.user_id', 'oauth_grants.user_id'],
  stage: 'at-once',
  forget: (_ctx, tx, { userId }) => deleteAllOf(tx, userId),
};

/** The sealed column of this feature, for a change of the master key. */
export const oauth2Sealed: readonly SealedColumn[] = [
  {
    table: 'oauth_artifacts',
    column: 'content',
    idColumns: ['kind', 'id_hash'],
    placeOf: (kind = '', idHash = '') => contentPlace(kind, idHash),
  },
];

export const oauth2Module = defineModule('oauth2', {
  resources: [oauth2],
  jobs: oauth2Jobs,
  schedules: oauth2Schedules,
  sealed: oauth2Sealed,
  erasures: [oauth2Erasure],
  tables: ['oauth_accounts', 'oauth_artifacts', 'oauth_grants'],
});
