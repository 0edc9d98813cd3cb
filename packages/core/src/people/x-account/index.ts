export { xAccountFeature } from './feature.ts';
export type { XAccount } from './x-account.ts';
