export { followingFeature } from './feature.ts';
export { type Following, followChains } from './follow.ts';
export { indexRules } from './index-rules.ts';
export { startSweeps } from './start-sweeps.ts';
export { type AccountChange, touchAccounts, touchUser } from './touch.ts';
export { selectChainsInRules } from './watched-assets.ts';
