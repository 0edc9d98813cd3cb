import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { ruleHealthJobs, ruleHealthSchedules } from './jobs.ts';
import { ruleHealthOperations } from './operations.ts';

export { recheckRule } from './jobs.ts';
export { listRuleHealth } from './operations.ts';
export { findRuleProblems } from './problems.ts';
export { brokenRuleCauses, ruleMetrics, selectRuleHealth, selectRulesOfCause } from './queries.ts';
export { refuseUndecidable, whyUndecidable } from './refuse.ts';
export { RuleHealth, toRuleHealth } from './shapes.ts';

export const ruleHealthModule = defineModule('rule-health', {
  resources: [ownOperations(ruleHealthOperations)],
  jobs: ruleHealthJobs,
  schedules: ruleHealthSchedules,
  tables: ['rule_health'],
});
