export type { GatingSettings } from '../../shared/settings.ts';
export {
  assetsOf,
  decideRoles,
  isByPassAlone,
  type OpenRules,
  openRequestedRules,
  openRules,
  type RoleReason,
  type RoleVerdict,
  type RuleVerdict,
  readableRules,
} from '../rules/index.ts';
export { type Condition, conditionsOf, type RuleConditions } from './conditions.ts';
export { createReasonGroups, type ReasonGroup } from './group-reasons.ts';
export { findingInWords, needInWords, requirementInWords, ruleInWords } from './need-in-words.ts';
export { openAccount, splitAccount, UnreadableAccount } from './open-account.ts';
export {
  decideMember,
  defaultGatingSettings,
  type EvaluationContext,
  evaluateMember,
  evaluateWallets,
  type Facts,
  fetchFacts,
  gatingSettings,
  type ReadContext,
  type ReadRulesOptions,
  readAnswers,
  readRules,
  readTokenLists,
} from './read-rules.ts';
export { type ReasonLine, reasonInLines, reasonInWords } from './reason-in-words.ts';
export type { ReasonNames, ReasonReader } from './reason-names.ts';
