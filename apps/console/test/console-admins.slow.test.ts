import { belongingsSuite } from './console/belongings.suite.ts';
import { communitySuite } from './console/community.suite.ts';
import { membersSuite } from './console/members.suite.ts';
import { ruleKindsSuite } from './console/rule-kinds.suite.ts';
import { rulesSuite } from './console/rules.suite.ts';
import { rulesFileSuite } from './console/rules-file.suite.ts';
import { securitySuite } from './console/security.suite.ts';
import { describeConsole } from './harness/describe-console.ts';

describeConsole('the console for admins', {
  'other ways to roles': securitySuite,
  'members and plans': membersSuite,
  'for those who manage communities': communitySuite,
  'what a community has': belongingsSuite,
  rules: rulesSuite,
  'rules as a file': rulesFileSuite,
  'rules of every kind': ruleKindsSuite,
});
