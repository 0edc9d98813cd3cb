export { nearNftErasure } from './forget.ts';
export { nearNftJobs, nearNftSchedules } from './jobs.ts';
export { nearNft } from './operations.ts';
