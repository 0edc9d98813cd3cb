import { defineModule } from '../../shared/module.ts';
import { signingKeysSealed } from './sealed-column.ts';

export { type RewrapReport, rewrapAll } from './rewrap-all.ts';
export {
  currentKey,
  deleteOldKeys,
  ed25519Texts,
  ensureSigningKeys,
  findPublicKey,
  generateKey,
  listPublicKeys,
  listSigningKeys,
  publicJwk,
  publicPem,
  rotateKey,
  uncompressedHex,
} from './rotate-key.ts';
export { checkMasterKey, signingKeysSealed } from './sealed-column.ts';
export {
  type PublicKey,
  retiredKeyDays,
  type SigningKey,
  type SigningPurpose,
  signingPurposes,
} from './signing-key.ts';

export const signingKeysModule = defineModule('signing-keys', {
  sealed: signingKeysSealed,
  tables: ['signing_keys', 'master_key_check'],
});
