export { answer, keepProven } from './answers.ts';
export { walletManagerErasure } from './forget.ts';
export { walletManagerJobs, walletManagerSchedules } from './jobs.ts';
export { venlyOperation, walletManager } from './operations.ts';
export { findPending, keepPending, pendingTtlSeconds, takePending } from './pending.ts';
export { deleteStepsOf } from './queries.ts';
export { readAccountId } from './read-claim.ts';
export { userOfLink } from './request-user.ts';
export { walletManagerSealed } from './sealed-columns.ts';
