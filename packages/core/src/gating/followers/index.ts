import { defineModule } from '../../shared/module.ts';

export { type AccountChange, enqueueAccounts, enqueueUser, type Following, followChains } from './follow.ts';
export { followerMetrics } from './metrics.ts';
export { assetsInRulesOf, indexRules, selectChainsInRules, startResyncs } from './watched-assets.ts';

export const followingModule = defineModule('followers', {
  tables: ['rule_assets', 'rule_indexes', 'rule_set_changes'],
});
