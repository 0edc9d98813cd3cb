export { nftJobs, nftSchedules } from './jobs.ts';
export { ethereumNfts } from './operations.ts';
