export { webauthnJobs, webauthnSchedules } from './jobs.ts';
export { webauthn } from './operations.ts';
