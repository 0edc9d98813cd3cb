import { feature } from '../../shared/feature.ts';

export { type AccountChange, type Following, followChains, touchAccounts, touchUser } from './follow.ts';
export { indexRules } from './index-rules.ts';
export { startSweeps } from './start-sweeps.ts';
export { selectChainsInRules } from './watched-assets.ts';

export const followingFeature = feature('followers', { tables: ['rule_assets', 'rule_indexes', 'rule_set_changes'] });
