import { defineModule } from '../../shared/module.ts';

export {
  type CommunityRuleRow,
  countRules,
  deleteRule,
  digestRules,
  hasRules,
  insertRule,
  listRules,
  type RuleVisibility,
  rulesDigest,
  ruleVersions,
  ruleVisibilities,
  selectRule,
  selectRuleIds,
  selectRules,
  selectRulesOf,
  updateRule,
} from './queries.ts';
export { endRetirement, retireRole, selectRetiredRoles } from './retired-roles.ts';
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
