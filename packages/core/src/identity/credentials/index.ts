import { defineModule } from '../../shared/module.ts';
import { credentialsErasure } from './forget.ts';
import { credentialJobs, credentialSchedules } from './jobs.ts';

export {
  type FindClient,
  looksLikeAccessToken,
  newAccessToken,
  type StillHolds,
  type TokenHolder,
} from './access-token.ts';
export {
  type ConsoleSessionRow,
  deleteConsoleSession,
  deleteConsoleSessionOf,
  findConsoleSession,
  selectConsoleSessions,
} from './console-session-queries.ts';
export { endSessionsBy, endSessionsOf } from './forget.ts';
export { type AccessTokenRequest, issueAccessToken } from './issue-access-token.ts';
export { issueAeToken } from './issue-ae-token.ts';
export { credentialJobs, credentialSchedules, purgeExpiredCredentials } from './jobs.ts';
export { openConsoleSession } from './open-console-session.ts';
export {
  type AccessTokenRow,
  burnNonce,
  endTokenOf,
  endTokensOf,
  findAccessToken,
  insertAccessToken,
  isNonceBurnt,
  markAccessTokenRevoked,
  markTokensRevoked,
  selectTokensOf,
} from './queries.ts';
export { revokeAccessToken } from './revoke-access-token.ts';
export {
  type AdminKeyLimits,
  countAdminKeys,
  createAdminKey,
  createFirstAdminKey,
  type KeyChange,
  listAdminKeys,
  type NewAdminKey,
  revokeAdminKey,
} from './revoke-admin-key.ts';
export { revokeAeToken } from './revoke-ae-token.ts';
export { deleteSession, findSession, revokeSession, type SessionRow, selectSessions } from './session-queries.ts';
export { useUpAeToken, verifyAeToken } from './use-up-ae-token.ts';
export { verifyAccessToken } from './verify-access-token.ts';
export { verifyAdminKey, verifyConsoleSession } from './verify-console-session.ts';
export {
  type EthereumRequest,
  type EthereumWallets,
  ethereumRequestText,
  verifyEthereumHeader,
} from './verify-ethereum-header.ts';

export const credentialsModule = defineModule('credentials', {
  jobs: credentialJobs,
  schedules: credentialSchedules,
  erasures: [credentialsErasure],
  tables: ['sessions', 'console_sessions', 'admin_keys', 'access_tokens', 'revoked_tokens', 'used_nonces'],
});
