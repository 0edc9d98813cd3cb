export { waysInFeature } from './feature.ts';
export type { AllowedApplication, Session, SignInWallet } from './way-in.ts';
