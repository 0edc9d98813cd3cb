import { defineModule } from '../../shared/module.ts';
import { loginJobs, loginSchedules } from './jobs.ts';
import { ethereumLogin } from './operations.ts';
import { loginErasure } from './queries.ts';

export { issueSession, type ProvenSignIn, proveSignIn, writeSignInMessage } from './operations.ts';

export const ethereumLoginModule = defineModule('ethereum-login', {
  resources: [ethereumLogin],
  jobs: loginJobs,
  schedules: loginSchedules,
  erasures: [loginErasure],
  tables: ['wallet_challenges'],
});
