export { wayInOperations } from './operations.ts';
export type { AllowedApplication, Session, SignInWallet } from './way-in.ts';
