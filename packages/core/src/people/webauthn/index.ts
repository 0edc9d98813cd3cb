export { webauthnErasure } from './forget.ts';
export { generateApprovalOptions } from './generate-approval-options.ts';
export { webauthnJobs, webauthnSchedules } from './jobs.ts';
export { webauthn } from './operations.ts';
export type { AuthenticationOptions } from './options-records.ts';
export { type CredentialRow, listCredentials } from './queries.ts';
export { pickUpSignIn } from './store-authentication.ts';
