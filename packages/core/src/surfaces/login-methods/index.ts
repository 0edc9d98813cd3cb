import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { consoleSessionOperations } from './console-session-operations.ts';
import { wayInOperations } from './operations.ts';

export type { AllowedApplication, Session, SignInWallet } from './way-in.ts';

export const waysInFeature = feature('login-methods', {
  resources: [ownOperations(consoleSessionOperations), ownOperations(wayInOperations)],
});
