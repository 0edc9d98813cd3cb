import { readBase58, readHex } from './bytes.ts';
import { readPoint } from './secp256k1.ts';

/**
 * The keys of the Latchkey server that you trust, from its `GET /config`. One is enough. Give them to your program when you
 * deploy it: who fetches them while checking a call trusts whoever answers.
 */
export interface ServerKeys {
  /** `actionEd25519PublicKeyHex`, or `actionEd25519PublicKey` in base 58. */
  ed25519?: string | undefined;
  /** `actionEcdsaPublicKey`: 0x04 and 128 hex digits. */
  ecdsa?: string | undefined;
}

export interface ReadKeys {
  ed25519?: Uint8Array<ArrayBuffer>;
  ecdsa?: Uint8Array<ArrayBuffer>;
}

/** Reads the keys, and throws for those that are none: without a key no call can be checked. */
export function readKeys({ ed25519, ecdsa }: ServerKeys): ReadKeys {
  const keys: ReadKeys = {};
  if (ed25519 !== undefined && ed25519 !== '') keys.ed25519 = readEd25519(ed25519.replace(/^ed25519:/, ''));
  if (ecdsa !== undefined && ecdsa !== '') keys.ecdsa = readEcdsa(ecdsa.replace(/^ecdsa:/, ''));
  if (keys.ed25519 === undefined && keys.ecdsa === undefined)
    throw new TypeError('Give a key of your Latchkey server, for example actionEd25519PublicKeyHex of GET /config.');
  return keys;
}

function readEd25519(text: string): Uint8Array<ArrayBuffer> {
  const bytes = /^(0x)?[0-9a-f]{64}$/i.test(text) ? readHex(text) : readBase58(text);
  if (bytes?.length !== 32)
    throw new TypeError('The Ed25519 key is not one: it has 32 bytes, as 64 hex digits or in base 58.');
  return bytes;
}

function readEcdsa(text: string): Uint8Array<ArrayBuffer> {
  const bytes = readHex(text);
  if (bytes === undefined || readPoint(bytes) === undefined)
    throw new TypeError('The ECDSA key is not one: it is 0x04 and 128 hex digits, a point of secp256k1.');
  return bytes;
}
