export { type AccountEraser, createAccountEraser, type ErasureOutcome } from './erase-account.ts';
export { selectErasures } from './erasure-queries.ts';
export { tracesErasure } from './forget.ts';
export { createErasureJobs } from './jobs.ts';
export { account } from './operations.ts';
export { accountSealed } from './sealed-columns.ts';
