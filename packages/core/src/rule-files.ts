// What the command line bundles to read, test and explain files of rules: the real parser and evaluator, without a database.

import { NewTokenPermissionedChat } from './communities/rule-records/rule.ts';
import { rulesFileSchema } from './gating/rule-files/index.ts';

export { requirementInWords, ruleInWords } from './gating/evaluation/need-in-words.ts';
export { knownTokens } from './gating/known-tokens/index.ts';
export {
  assetOf,
  decideTest,
  type Fields,
  fromComposition,
  fromDefinition,
  normalForm,
  placeInFile,
  type TestMember,
  toComposition,
  toDefinition,
} from './gating/rule-files/index.ts';
export type {
  AppliedRuleSet,
  RuleSet,
  RuleSetChange,
  RuleSetPlan,
  RuleSetProgress,
  RuleSetToApply,
  WantedRuleSet,
} from './gating/rule-sets/shapes.ts';
export {
  chainOfId,
  type OpenRules,
  openRules,
  type Reason,
  type RoleVerdict,
  readRule,
} from './gating/rules/index.ts';
// For the console, whose pages have no threads to run queries in.
export { answerBatch } from './gating/rules/queries/answer-batches.ts';
export type { QueryBatch } from './gating/rules/queries/job.ts';

/** The JSON Schema of a file of rules. */
export const fileSchema = rulesFileSchema(NewTokenPermissionedChat);
