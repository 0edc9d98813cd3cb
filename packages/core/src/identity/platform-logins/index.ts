import { defineModule } from '../../shared/module.ts';
import { platformLoginJobs, platformLoginSchedules } from './jobs.ts';
import { platformLoginsSealed } from './queries.ts';

export {
  type BegunLogin,
  beginPlatformLogin,
  type FinishedLogin,
  finishPlatformLogin,
  type ReturnedLogin,
} from './finish-login.ts';
export { platformLoginJobs } from './jobs.ts';
export { isOffered, type LoginRequester, loginTtlSeconds, offeredMethods, returnAddress } from './login.ts';
export { platformLoginsSealed } from './queries.ts';
export { chatVisitor, isLoginAnswer, takeChatAnswer } from './take-chat-answer.ts';

export const platformLoginsModule = defineModule('platform-logins', {
  jobs: platformLoginJobs,
  schedules: platformLoginSchedules,
  sealed: platformLoginsSealed,
  tables: ['platform_logins'],
});
