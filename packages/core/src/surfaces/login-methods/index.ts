import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { consoleSessionOperations } from './console-session-operations.ts';
import { loginMethodOperations } from './operations.ts';

export type { AllowedApplication, Session, SignInWallet } from './login-method.ts';

export const loginMethodsModule = defineModule('login-methods', {
  resources: [ownOperations(consoleSessionOperations), ownOperations(loginMethodOperations)],
});
