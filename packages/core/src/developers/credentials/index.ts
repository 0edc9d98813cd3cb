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
export {
  type AdminKeyLimits,
  createAdminKey,
  createFirstAdminKey,
  type KeyChange,
  type NewAdminKey,
} from './create-admin-key.ts';
export { endSessionsBy, endSessionsOf } from './end-sessions.ts';
export { type EthereumRequest, ethereumRequestText } from './ethereum-request-text.ts';
export { credentialsFeature } from './feature.ts';
export { type AccessTokenRequest, issueAccessToken } from './issue-access-token.ts';
export { issueAeToken } from './issue-ae-token.ts';
export { credentialJobs, credentialSchedules } from './jobs.ts';
export { openConsoleSession } from './open-console-session.ts';
export {
  type AccessTokenRow,
  burnNonce,
  endTokenOf,
  endTokensOf,
  findAccessToken,
  insertAccessToken,
  markAccessTokenRevoked,
  markTokensRevoked,
  selectTokensOf,
} from './queries.ts';
export { revokeAccessToken } from './revoke-access-token.ts';
export { countAdminKeys, listAdminKeys, revokeAdminKey } from './revoke-admin-key.ts';
export { revokeAeToken } from './revoke-ae-token.ts';
export { deleteSession, findSession, revokeSession, type SessionRow, selectSessions } from './session-queries.ts';
export { sweepCredentials } from './sweep.ts';
export { useUpAeToken } from './use-up-ae-token.ts';
export { verifyAccessToken } from './verify-access-token.ts';
export { verifyAdminKey } from './verify-admin-key.ts';
export { verifyAeToken } from './verify-ae-token.ts';
export { verifyConsoleSession } from './verify-console-session.ts';
export { type EthereumWallets, verifyEthereumHeader } from './verify-ethereum-header.ts';
