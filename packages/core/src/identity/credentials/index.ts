import { defineModule } from '../../shared/module.ts';
import { credentialsErasure } from './forget.ts';
import { credentialJobs, credentialSchedules } from './jobs.ts';

export {
  type AccessTokenRequest,
  type FindClient,
  issueAccessToken,
  looksLikeAccessToken,
  newAccessToken,
  revokeAccessToken,
  type StillHolds,
  type TokenHolder,
  verifyAccessToken,
} from './access-token.ts';
export {
  type AdminKeyLimits,
  countAdminKeys,
  createAdminKey,
  createFirstAdminKey,
  type KeyChange,
  listAdminKeys,
  type NewAdminKey,
  revokeAdminKey,
} from './admin-key.ts';
export { issueAeToken, revokeAeToken, revokeSession, useUpAeToken, verifyAeToken } from './ae-token.ts';
export { openConsoleSession, verifyAdminKey, verifyConsoleSession } from './console-session.ts';
export {
  type ConsoleSessionRow,
  deleteConsoleSession,
  deleteConsoleSessionOf,
  findConsoleSession,
  selectConsoleSessions,
} from './console-session-queries.ts';
export { endSessionsBy, endSessionsOf } from './forget.ts';
export { credentialJobs, credentialSchedules, purgeExpiredCredentials } from './jobs.ts';
export { keyMetrics } from './metrics.ts';
export {
  type AccessTokenRow,
  burnNonce,
  deleteSession,
  endTokenOf,
  endTokensOf,
  findAccessToken,
  findSession,
  insertAccessToken,
  isNonceBurnt,
  markAccessTokenRevoked,
  markTokensRevoked,
  type SessionRow,
  selectSessions,
  selectTokensOf,
} from './queries.ts';
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
