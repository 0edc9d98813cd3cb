import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { ruleAssertionOperations } from './operations.ts';

export { assertionInWords, assetsIn, checkAssertions, refuseBroken } from './check-assertions.ts';
export { RuleAssertion, toAssertion } from './operations.ts';
export { selectAssertions } from './queries.ts';

export const ruleAssertionsModule = defineModule('rule-assertions', {
  resources: [ownOperations(ruleAssertionOperations)],
  tables: ['rule_assertions'],
});
