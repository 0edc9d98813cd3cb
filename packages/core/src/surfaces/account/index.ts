import { defineModule } from '../../shared/module.ts';
import { accountSealed, tracesErasure } from './erasure-queries.ts';
import { account } from './operations.ts';

export {
  type AccountEraser,
  createAccountEraser,
  createErasureOperations,
  type ErasureOutcome,
} from './erase-account.ts';
export { selectErasures } from './erasure-queries.ts';
export { createErasureJobs } from './jobs.ts';

export const accountModule = defineModule('account', {
  resources: [account],
  sealed: accountSealed,
  erasures: [tracesErasure],
  tables: ['account_erasures'],
});
