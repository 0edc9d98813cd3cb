import { defineModule } from '../../shared/module.ts';

export { type AccountChange, enqueueAccounts, enqueueUser, type Following, followChains } from './follow.ts';
export { indexRules } from './index-rules.ts';
export { startResyncs } from './start-resyncs.ts';
export { assetsInRulesOf, selectChainsInRules } from './watched-assets.ts';

export const followingModule = defineModule('followers', {
  tables: ['rule_assets', 'rule_indexes', 'rule_set_changes'],
});
