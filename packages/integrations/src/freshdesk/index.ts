export type { FreshdeskOptions } from './ask-freshdesk.ts';
export { createFreshdesk } from './create-freshdesk.ts';
