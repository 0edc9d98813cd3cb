import { developerSuite } from './console/developer.suite.ts';
import { journeysSuite } from './console/journeys.suite.ts';
import { memberSuite } from './console/member.suite.ts';
import { movingSuite } from './console/moving.suite.ts';
import { operatorSuite } from './console/operator.suite.ts';
import { walletConnectSuite } from './console/wallet-connect.suite.ts';
import { describeConsole } from './harness/describe-console.ts';

describeConsole('the console from the first click to the last', {
  'for developers': developerSuite,
  'for the operator': operatorSuite,
  'moving from another bot': movingSuite,
  'for members': memberSuite,
  'for members with WalletConnect': walletConnectSuite,
  'from the first page to the last': journeysSuite,
});
