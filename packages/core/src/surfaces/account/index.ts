import { defineModule } from '../../shared/module.ts';
import { tracesErasure } from './forget.ts';
import { account } from './operations.ts';
import { accountSealed } from './sealed-columns.ts';

export { type AccountEraser, createAccountEraser, type ErasureOutcome } from './erase-account.ts';
export { createErasureOperations } from './erase-operation.ts';
export { selectErasures } from './erasure-queries.ts';
export { createErasureJobs } from './jobs.ts';

export const accountModule = defineModule('account', {
  resources: [account],
  sealed: accountSealed,
  erasures: [tracesErasure],
  tables: ['account_erasures'],
});
