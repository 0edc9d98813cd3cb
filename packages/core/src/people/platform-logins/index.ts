export { type BegunLogin, beginPlatformLogin } from './begin-login.ts';
export { chatVisitor } from './chat-visitor.ts';
export { platformLoginsFeature } from './feature.ts';
export { type FinishedLogin, finishPlatformLogin, type ReturnedLogin } from './finish-login.ts';
export { platformLoginJobs } from './jobs.ts';
export { type Asker, isOffered, loginTtlSeconds, offeredWays, returnAddress } from './login.ts';
export { platformLoginsSealed } from './sealed-columns.ts';
export { isLoginAnswer, takeChatAnswer } from './take-chat-answer.ts';
