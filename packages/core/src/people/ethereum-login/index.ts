export { loginErasure } from './forget.ts';
export { loginJobs, loginSchedules } from './jobs.ts';
export { ethereumLogin } from './operations.ts';
