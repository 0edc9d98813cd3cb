export { readTokenLists } from '../judging/index.ts';
export { parseAccount } from './account.ts';
export { accessControlErasure } from './forget.ts';
export { accessControlJobs, accessControlSchedules } from './jobs.ts';
export { accessControl } from './operations.ts';
export { readCached } from './read-cached.ts';
