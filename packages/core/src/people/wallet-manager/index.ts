export { keepProven } from './answers.ts';
export { askToSign } from './ask-to-sign.ts';
export { WalletConnectionResponse } from './connection.ts';
export { venlyFeature, walletManagerFeature } from './feature.ts';
export { findPending, keepPending, pendingTtlSeconds, takePending } from './pending.ts';
export { readAccountId, readClaim } from './read-claim.ts';
export { userOfLink } from './request-user.ts';
