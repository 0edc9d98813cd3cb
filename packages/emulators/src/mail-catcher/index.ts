export type { CaughtMessage } from './inbox.ts';
export { type Fault, type MailCatcher, type MailCatcherOptions, startMailCatcher } from './start.ts';
