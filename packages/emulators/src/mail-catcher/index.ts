export type { CaughtMessage } from './inbox.ts';
export type { Fault } from './receive-mail.ts';
export { type MailCatcher, type MailCatcherOptions, startMailCatcher } from './start.ts';
