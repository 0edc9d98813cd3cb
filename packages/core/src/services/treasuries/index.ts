import { defineModule } from '../../shared/module.ts';
import { treasuryJobs } from './jobs.ts';
import { treasuriesSealed } from './payer.ts';
import { treasuriesErasure } from './queries.ts';

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
export { beginDeployment, beginMove, leastGas, newAction, treasuryJobs } from './jobs.ts';
export { payerAddress } from './payer.ts';
export { findTreasury, forgetTreasury, lockTreasury, type TreasuryRow } from './queries.ts';
export {
  describeHolder,
  describeTreasury,
  makeTreasury,
  type TreasuryView,
  toWalletFields,
  treasuryStatuses,
  walletFields,
} from './read-treasury.ts';
export { coinOf, getSafes, type Holder, saltNonceOf, signerUserOf } from './treasury.ts';

export const treasuriesModule = defineModule('treasuries', {
  jobs: treasuryJobs,
  sealed: treasuriesSealed,
  erasures: [treasuriesErasure],
  tables: ['treasuries', 'treasury_actions', 'treasury_payers'],
});
