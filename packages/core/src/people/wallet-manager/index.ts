export { keepProven } from './answers.ts';
export { venlyFeature, walletManagerFeature } from './feature.ts';
export { findPending, keepPending, pendingTtlSeconds, takePending } from './pending.ts';
export { readAccountId } from './read-claim.ts';
export { userOfLink } from './request-user.ts';
