import { defineModule } from '../../shared/module.ts';

export {
  type CommunityRuleRow,
  countRules,
  deleteRule,
  digestRules,
  endRetirement,
  hasRules,
  insertRule,
  listRules,
  type RuleVisibility,
  retireRole,
  rulesDigest,
  ruleVersions,
  ruleVisibilities,
  selectRetiredRoles,
  selectRule,
  selectRuleIds,
  selectRules,
  selectRulesOf,
  setRuleOrder,
  updateRule,
} from './queries.ts';
export {
  definitionOf,
  type GivenRule,
  maxRules,
  NewTokenPermissionedChat,
  type RuleDefinition,
  ruleFields,
  ruleIdOf,
  TokenPermissionedChat,
  TokenPermissionedChatToBeReplaced,
  toRule,
} from './rule.ts';

export const ruleRecordsModule = defineModule('rule-records', { tables: ['community_rules', 'retired_roles'] });
