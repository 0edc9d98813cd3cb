export { type AskContext, askSigner } from './ask.ts';
export { checkSignerKey } from './check-master-key.ts';
export { listSignatures, type SignatureRow } from './queries.ts';
export { hashesOff, stepUpNeeded } from './refusals.ts';
export { type KeyMade, type Purpose, purposeOf, type Signed } from './request.ts';
export { rewrapKeys } from './rewrap-keys.ts';
export { type ServedRequests, serveRequests } from './serve-requests.ts';
export type { SignerContext, SigningPolicy } from './signer-context.ts';
