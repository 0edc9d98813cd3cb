export { webauthnErasure } from './forget.ts';
export { webauthnJobs, webauthnSchedules } from './jobs.ts';
export { webauthn } from './operations.ts';
export { listCredentials } from './queries.ts';
export { pickUpSignIn } from './store-authentication.ts';
