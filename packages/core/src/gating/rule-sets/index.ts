import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { ruleSetOperations } from './operations.ts';

export { applyBrakes, applyRuleSet } from './apply.ts';
export { getRuleSet, planRuleSet } from './plan.ts';
export { getRuleSetProgress } from './progress.ts';

export const ruleSetsModule = defineModule('rule-sets', { resources: [ownOperations(ruleSetOperations)] });
