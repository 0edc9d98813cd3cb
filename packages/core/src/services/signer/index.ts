import { defineModule } from '../../shared/module.ts';

export { type AskContext, askSigner, trySigner } from './ask.ts';
export { ownHostsOf } from './own-texts.ts';
export { countWaitingRequests, listSignatures, pageOfSignatures, type SignatureRow } from './queries.ts';
export { type KeyMade, type Purpose, purposeOf, type Signed } from './request.ts';
export { digestOf, type ServedRequests, serveRequests, stepUpNeeded, verifyText } from './serve-requests.ts';
export type { SignerContext, SigningPolicy } from './signer-context.ts';
export { checkSignerKey, rewrapKeys, signerSealed } from './signer-context.ts';

export const signerModule = defineModule('signer', {
  tables: ['signer.keys', 'signer.requests', 'signer.signatures', 'signer.master_key_check'],
});
