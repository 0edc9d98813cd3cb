import { defineModule } from '../../shared/module.ts';
import { webauthnJobs, webauthnSchedules } from './jobs.ts';
import { webauthn } from './operations.ts';
import { webauthnErasure } from './queries.ts';

export { pickUpSignIn } from './accept-assertion.ts';
export { generateApprovalOptions } from './generate-options.ts';
export { type CredentialRow, listCredentials } from './queries.ts';
export { AuthenticationOptions } from './records.ts';

export const webauthnModule = defineModule('webauthn', {
  resources: [webauthn],
  jobs: webauthnJobs,
  schedules: webauthnSchedules,
  erasures: [webauthnErasure],
  tables: ['webauthn_users', 'webauthn_credentials', 'webauthn_challenges', 'webauthn_sign_ins'],
});
