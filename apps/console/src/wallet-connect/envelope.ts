import { chacha20poly1305 } from '@noble/ciphers/chacha';
import { x25519 } from '@noble/curves/ed25519.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, randomBytes } from '@noble/hashes/utils.js';

const nonceBytes = 12;
/** An envelope sealed with a shared key. There are other types, which no session needs. */
const sealedType = 0;

/** Encrypts a text for the relay: type, nonce and ChaCha20-Poly1305, in Base64. */
export function seal(key: Uint8Array, text: string): string {
  const nonce = randomBytes(nonceBytes);
  const sealed = chacha20poly1305(key, nonce).encrypt(new TextEncoder().encode(text));
  return btoa(String.fromCharCode(sealedType, ...nonce, ...sealed));
}

/** Decrypts an envelope. Returns undefined if it was not sealed with the key: anyone can publish under a topic. */
export function open(key: Uint8Array, envelope: string): string | undefined {
  try {
    const [type, ...bytes] = Uint8Array.from(atob(envelope), (letter) => letter.charCodeAt(0));
    if (type !== sealedType) return undefined;
    const nonce = Uint8Array.from(bytes.slice(0, nonceBytes));
    const sealed = Uint8Array.from(bytes.slice(nonceBytes));
    return new TextDecoder().decode(chacha20poly1305(key, nonce).decrypt(sealed));
  } catch {
    return undefined;
  }
}

export function newTopic(): { topic: string; key: Uint8Array } {
  return { topic: bytesToHex(randomBytes(32)), key: randomBytes(32) };
}

/** One half of a key agreement. */
export interface Half {
  publicKey: string;
  /** Derives the topic and the key from this half and the wallet's public key. */
  meet(peerKey: string): { topic: string; key: Uint8Array };
}

export function newHalf(): Half {
  const { secretKey, publicKey } = x25519.keygen();
  return {
    publicKey: bytesToHex(publicKey),
    meet: (peerKey) => {
      const shared = x25519.getSharedSecret(secretKey, hexToBytes(peerKey));
      const key = hkdf(sha256, shared, undefined, undefined, 32);
      return { topic: bytesToHex(sha256(key)), key };
    },
  };
}
