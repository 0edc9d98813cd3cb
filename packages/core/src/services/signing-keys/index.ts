import { defineModule } from '../../shared/module.ts';
import { signingKeysSealed } from './signing-key.ts';

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
export {
  checkMasterKey,
  type PublicKey,
  type RewrapReport,
  retiredKeyDays,
  rewrapAll,
  type SigningKey,
  type SigningPurpose,
  signingKeysSealed,
  signingPurposes,
} from './signing-key.ts';

export const signingKeysModule = defineModule('signing-keys', {
  sealed: signingKeysSealed,
  tables: ['signing_keys', 'master_key_check'],
});
