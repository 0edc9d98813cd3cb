import type { WalletProof } from '@latchkey/core/ports';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { blake2b } from '@noble/hashes/blake2.js';
import type { SeededRandom } from '../../vectors/mutate.ts';
import { encodeTezos, publicKeyEncodings, signatureEncodings, type TezosCurve } from './encodings.ts';
import { tezosChains } from './index.ts';
import { addressOfKey, packText } from './verify.ts';

const signers = {
  ed25519: (hash: Uint8Array, key: Uint8Array) => ed25519.sign(hash, key),
  secp256k1: (hash: Uint8Array, key: Uint8Array) => secp256k1.sign(hash, key, { prehash: false, lowS: true }),
  p256: (hash: Uint8Array, key: Uint8Array) => p256.sign(hash, key, { prehash: false, lowS: true }),
};
const curves = { ed25519, secp256k1, p256 };

/** Signs as a wallet does: the hash of the payload. */
export function signPayload(payload: Uint8Array, curve: TezosCurve, secretKey: Uint8Array) {
  const publicKey = curves[curve].getPublicKey(secretKey);
  const signature = signers[curve](blake2b(payload, { dkLen: 32 }), secretKey);
  return {
    address: addressOfKey(publicKey, curve),
    publicKey: encodeTezos(publicKey, curve, publicKeyEncodings),
    signature: encodeTezos(signature, curve, signatureEncodings),
  };
}

/** Creates a valid proof with a new key. */
export function signText(
  random: SeededRandom,
  curve: TezosCurve,
  message: string,
): WalletProof & { signature: string } {
  return { chain: tezosChains[0] ?? '', message, ...signPayload(packText(message), curve, random.bytes(32)) };
}
