export type { GatingSettings } from '../../shared/settings.ts';
export { type Condition, conditionsOf, type RuleConditions } from './conditions.ts';
export { decideRoles } from './decide.ts';
export { createReasonGroups, type ReasonGroup } from './group-reasons.ts';
export { findingInWords, needInWords } from './need-in-words.ts';
export { openAccount, splitAccount, UnreadableAccount } from './open-account.ts';
export { assetsOf, type OpenRules, openAskedRules, openRules, readableRules } from './open-rules.ts';
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
  type ReadWish,
  readAnswers,
  readRules,
  readTokenLists,
} from './read-rules.ts';
export { reasonInWords } from './reason-in-words.ts';
export { type ReasonLine, reasonInLines } from './reason-lines.ts';
export type { ReasonNames, ReasonReader } from './reason-names.ts';
export { ruleInWords } from './rule-in-words.ts';
export { isByPassAlone, type RoleReason, type RoleVerdict, type RuleVerdict } from './verdict.ts';
