import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { ruleHealthJobs, ruleHealthSchedules } from './jobs.ts';
import { ruleHealthOperations } from './operations.ts';

export { recheckRule } from './jobs.ts';
export { listRuleHealth, RuleHealth, toRuleHealth } from './operations.ts';
export { findRuleProblems, refuseUndecidable, whyUndecidable } from './problems.ts';
export { brokenRuleCauses, ruleMetrics, selectRuleHealth, selectRulesOfCause } from './queries.ts';

export const ruleHealthModule = defineModule('rule-health', {
  resources: [ownOperations(ruleHealthOperations)],
  jobs: ruleHealthJobs,
  schedules: ruleHealthSchedules,
  tables: ['rule_health'],
});
