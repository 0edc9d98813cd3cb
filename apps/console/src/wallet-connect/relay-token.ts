import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToHex, concatBytes, randomBytes } from '@noble/hashes/utils.js';
import { encodeBase58 } from '../wallets/base58.ts';

const daySeconds = 86_400;
/** How an Ed25519 key begins in a did:key. */
const ed25519Prefix = Uint8Array.of(0xed, 0x01);

/** Signs tokens for a relay with a key that was made for this one connection and is kept nowhere. */
export function createTokens(relayUrl: string): () => string {
  const { secretKey, publicKey } = ed25519.keygen();
  const iss = `did:key:z${encodeBase58(concatBytes(ed25519Prefix, publicKey))}`;
  return () => {
    const iat = Math.floor(Date.now() / 1000);
    const payload = { iss, sub: bytesToHex(randomBytes(32)), aud: relayUrl, iat, exp: iat + daySeconds };
    const signed = [{ alg: 'EdDSA', typ: 'JWT' }, payload].map((part) => encode(JSON.stringify(part))).join('.');
    const signature = ed25519.sign(new TextEncoder().encode(signed), secretKey);
    return `${signed}.${encode(String.fromCharCode(...signature))}`;
  };
}

function encode(bytes: string): string {
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
