import { feature } from '../../feature.ts';
import { credentialsErasure } from './forget.ts';
import { credentialJobs, credentialSchedules } from './jobs.ts';

export const credentialsFeature = feature('credentials', {
  jobs: credentialJobs,
  schedules: credentialSchedules,
  erasures: [credentialsErasure],
  tables: ['sessions', 'console_sessions', 'admin_keys', 'access_tokens', 'revoked_tokens', 'used_nonces'],
});
