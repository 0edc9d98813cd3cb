import { feature } from '../../feature.ts';
import { webauthnErasure } from './forget.ts';
import { webauthnJobs, webauthnSchedules } from './jobs.ts';
import { webauthn } from './operations.ts';

export const webauthnFeature = feature('webauthn', {
  resources: [webauthn],
  jobs: webauthnJobs,
  schedules: webauthnSchedules,
  erasures: [webauthnErasure],
  tables: ['webauthn_users', 'webauthn_credentials', 'webauthn_challenges', 'webauthn_sign_ins'],
});
