import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { ruleAssertionOperations } from './operations.ts';

export {
  assertionInWords,
  assertionSentence,
  assetsIn,
  checkAssertions,
  refuseBroken,
} from './check-assertions.ts';
export { mostAssertions, RuleAssertion, toAssertion, toRows } from './operations.ts';
export { replaceAssertions, selectAssertions } from './queries.ts';

export const ruleAssertionsModule = defineModule('rule-assertions', {
  resources: [ownOperations(ruleAssertionOperations)],
  tables: ['rule_assertions'],
});
