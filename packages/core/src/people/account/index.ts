export { type AccountEraser, createAccountEraser, type ErasureOutcome } from './erase-account.ts';
export { createErasureOperations } from './erase-operation.ts';
export { selectErasures } from './erasure-queries.ts';
export { accountFeature } from './feature.ts';
export { createErasureJobs } from './jobs.ts';
