export { loginJobs, loginSchedules } from './jobs.ts';
export { ethereumLogin } from './operations.ts';
