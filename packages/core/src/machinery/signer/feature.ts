import { feature } from '../../feature.ts';

export const signerFeature = feature('signer', {
  tables: ['signer.keys', 'signer.requests', 'signer.signatures', 'signer.master_key_check'],
});
