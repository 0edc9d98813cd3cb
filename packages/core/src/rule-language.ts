// How a rule is read and put into words, for browsers too: nothing here needs Node.js.
export { describeNeeded } from './gating/rules/describe-needed.ts';
export { readRule } from './gating/rules/read-rule.ts';
export { type Condition, leavesOf, type Rule } from './gating/rules/rule.ts';
