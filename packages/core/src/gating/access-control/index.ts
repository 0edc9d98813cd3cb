export { parseAccount } from './account.ts';
export { accessControlFeature } from './feature.ts';
