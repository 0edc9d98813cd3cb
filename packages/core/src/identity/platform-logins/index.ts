import { defineModule } from '../../shared/module.ts';
import { platformLoginJobs, platformLoginSchedules } from './jobs.ts';
import { platformLoginsSealed } from './sealed-columns.ts';

export { chatVisitor } from './chat-visitor.ts';
export {
  type BegunLogin,
  beginPlatformLogin,
  type FinishedLogin,
  finishPlatformLogin,
  type ReturnedLogin,
} from './finish-login.ts';
export { platformLoginJobs } from './jobs.ts';
export { isOffered, type LoginRequester, loginTtlSeconds, offeredMethods, returnAddress } from './login.ts';
export { platformLoginsSealed } from './sealed-columns.ts';
export { isLoginAnswer, takeChatAnswer } from './take-chat-answer.ts';

export const platformLoginsModule = defineModule('platform-logins', {
  jobs: platformLoginJobs,
  schedules: platformLoginSchedules,
  sealed: platformLoginsSealed,
  tables: ['platform_logins'],
});
