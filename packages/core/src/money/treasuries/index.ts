export {
  type ActionContent,
  type ActionRow,
  countProposed,
  deleteExpired,
  findAction,
  findOpen,
  insertAction,
  listActions,
} from './action-queries.ts';
export { beginDeployment, beginMove, newAction } from './begin.ts';
export { treasuriesFeature } from './feature.ts';
export { treasuryJobs } from './jobs.ts';
export { makeTreasury } from './make-treasury.ts';
export { payerAddress } from './payer.ts';
export { findTreasury, forgetTreasury, lockTreasury, type TreasuryRow } from './queries.ts';
export { describeHolder, describeTreasury, type TreasuryView, treasuryStatuses } from './read-treasury.ts';
export { leastGas } from './send.ts';
export { coinOf, getSafes, type Holder, saltNonceOf, signerUserOf } from './treasury.ts';
