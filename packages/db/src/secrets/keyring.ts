import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { Random } from '@latchkey/kernel';

/** A master key. The first of a ring encrypts; the others only decrypt what was sealed before a rotation. */
export interface MasterKey {
  id: string;
  key: Uint8Array;
}

/**
 * The ciphertext of a secret column: `v1.<key id>.<wrapped data key>.<sealed value>`. The database refuses anything
 * else there.
 */
export type Sealed = string & { readonly '~sealed': true };

/** A key for one purpose, with the id of the master key behind it. It is shared: callers must not modify it. */
export interface DerivedKey {
  id: string;
  key: Uint8Array;
}

export interface Keyring {
  /** Encrypts a secret for one place (`table.column:row`), so that the ciphertext cannot be moved to another row. */
  seal(place: string, secret: Uint8Array | string): Sealed;
  open(place: string, sealed: string): Buffer;
  openText(place: string, sealed: string): string;
  /** Rewraps the data key under the current master key; undefined if it already is. The value itself is not changed. */
  rewrap(place: string, sealed: string): Sealed | undefined;
  /** A 32-byte key for one purpose, derived from a master key. Current first, older ones after it. */
  derive(purpose: string): readonly DerivedKey[];
}

export class SealError extends Error {}

const nonceBytes = 12;
const tagBytes = 16;

// Keys are passed as objects: for bytes, Node first tries two other interpretations, which costs more than the cipher.
function encrypt(random: Random, key: KeyObject, associated: string, plain: Uint8Array): Buffer {
  const nonce = random.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(associated));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: KeyObject, associated: string, sealed: Buffer): Buffer {
  if (sealed.length < nonceBytes + tagBytes) throw new SealError('A sealed value is too short.');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes)).setAAD(Buffer.from(associated));
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
  } catch {
    throw new SealError('A sealed value was altered, moved, or sealed with another key.');
  }
}

/** Creates envelope encryption: each value has its own data key, and only that is wrapped by a master key. */
export function createKeyring(keys: readonly [MasterKey, ...MasterKey[]], random: Random): Keyring {
  for (const { id, key } of keys) {
    if (!/^[A-Za-z0-9_-]{1,32}$/.test(id))
      throw new Error(`The key id "${id}" must be 1 to 32 letters, digits, - or _.`);
    if (key.length !== 32) throw new Error(`The key "${id}" must be 32 bytes long, not ${key.length}.`);
  }
  const wrapping = new Map(keys.map(({ id, key }) => [id, createSecretKey(deriveOne(key, 'wrap'))]));
  // Purposes are few and constant; some are derived on every request.
  const derived = new Map<string, readonly DerivedKey[]>();
  const current = keys[0].id;

  function wrapKey(id: string): KeyObject {
    const key = wrapping.get(id);
    if (key === undefined)
      throw new SealError(`The master key "${id}" is not configured; add it after the current one.`);
    return key;
  }

  function parse(sealed: string): { id: string; wrapped: Buffer; value: Buffer } {
    const [version, id, wrapped, value] = sealed.split('.');
    if (version !== 'v1' || id === undefined || wrapped === undefined || value === undefined) {
      throw new SealError('A sealed value has an unknown format.');
    }
    return { id, wrapped: Buffer.from(wrapped, 'base64url'), value: Buffer.from(value, 'base64url') };
  }

  function format(wrapped: Buffer, value: Buffer): Sealed {
    return `v1.${current}.${wrapped.toString('base64url')}.${value.toString('base64url')}` as Sealed;
  }

  function open(place: string, sealed: string): Buffer {
    const { id, wrapped, value } = parse(sealed);
    return decrypt(createSecretKey(decrypt(wrapKey(id), place, wrapped)), place, value);
  }

  return {
    seal(place, secret) {
      const dataKey = random.bytes(32);
      const wrapped = encrypt(random, wrapKey(current), place, dataKey);
      return format(wrapped, encrypt(random, createSecretKey(dataKey), place, Buffer.from(secret)));
    },
    open,
    openText: (place, sealed) => open(place, sealed).toString('utf8'),
    rewrap(place, sealed) {
      const { id, wrapped, value } = parse(sealed);
      if (id === current) return undefined;
      return format(encrypt(random, wrapKey(current), place, decrypt(wrapKey(id), place, wrapped)), value);
    },
    derive(purpose) {
      const known = derived.get(purpose);
      if (known !== undefined) return known;
      const made = keys.map(({ id, key }) => ({ id, key: deriveOne(key, `derive:${purpose}`) }));
      derived.set(purpose, made);
      return made;
    },
  };
}

function deriveOne(key: Uint8Array, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', key, Buffer.alloc(0), `latchkey/${purpose}`, 32));
}
