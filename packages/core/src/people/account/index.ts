export { type AccountEraser, createAccountEraser, type ErasureOutcome } from './erase-account.ts';
export { selectErasures } from './erasure-queries.ts';
export { accountFeature } from './feature.ts';
export { createErasureJobs } from './jobs.ts';
