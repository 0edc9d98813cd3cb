export { base58 } from './base58.ts';
export { checkMasterKey } from './check-master-key.ts';
export { ensureSigningKeys } from './ensure-signing-keys.ts';
export { signingKeysFeature } from './feature.ts';
export { generateKey } from './generate-key.ts';
export { ed25519Texts, publicJwk, publicPem, uncompressedHex } from './key-formats.ts';
export { currentKey, findPublicKey, listPublicKeys, listSigningKeys } from './read-keys.ts';
export { type RewrapReport, rewrapAll } from './rewrap-all.ts';
export { deleteOldKeys, rotateKey } from './rotate-key.ts';
export { type SealedColumn, signingKeysSealed } from './sealed-column.ts';
export {
  type PublicKey,
  retiredKeyDays,
  type SigningKey,
  type SigningPurpose,
  signingPurposes,
} from './signing-key.ts';
