import { defineModule } from '../../shared/module.ts';
import { webauthnErasure } from './forget.ts';
import { webauthnJobs, webauthnSchedules } from './jobs.ts';
import { webauthn } from './operations.ts';

export { generateApprovalOptions } from './generate-approval-options.ts';
export { AuthenticationOptions } from './options-records.ts';
export { type CredentialRow, listCredentials } from './queries.ts';
export { pickUpSignIn } from './store-authentication.ts';

export const webauthnModule = defineModule('webauthn', {
  resources: [webauthn],
  jobs: webauthnJobs,
  schedules: webauthnSchedules,
  erasures: [webauthnErasure],
  tables: ['webauthn_users', 'webauthn_credentials', 'webauthn_challenges', 'webauthn_sign_ins'],
});
