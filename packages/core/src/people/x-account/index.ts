export { xAccountFeature } from './feature.ts';
export type { XAccount, XLinkAttempt } from './x-account.ts';
