export { writeSignInMessage } from './create-challenge.ts';
export { ethereumLoginFeature } from './feature.ts';
export { issueSession, type ProvenSignIn, proveSignIn } from './log-in.ts';
