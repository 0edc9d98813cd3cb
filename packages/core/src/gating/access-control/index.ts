export { readTokenLists } from '../judging/index.ts';
export { parseAccount } from './account.ts';
export { accessControlFeature } from './feature.ts';
export { readCached } from './read-cached.ts';
