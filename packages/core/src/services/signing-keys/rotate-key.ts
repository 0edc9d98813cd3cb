import {
  createECDH,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import type { Database } from '@latchkey/db';
import type { Random } from '@latchkey/kernel';
import { base58 } from '@scure/base';
import {
  deleteRetiredBefore,
  hasCurrent,
  insertCurrent,
  lockForWriting,
  retireCurrent,
  type SigningKeyRow,
  selectKeyStates,
  selectPublished,
} from './queries.ts';
import {
  type KeyContext,
  oldestPublished,
  type PublicKey,
  privateKeyPlace,
  type SigningKey,
  type SigningPurpose,
  signingPurposes,
} from './signing-key.ts';

/**
 * Creates a new current key and retires the old one, which stays published so that its signatures can still be
 * verified.
 */
export async function rotateKey(ctx: KeyContext, purpose: SigningPurpose): Promise<{ kid: string }> {
  const row = newKeyRow(ctx, purpose);
  await ctx.db.transaction('system', async (tx) => {
    await lockForWriting(tx);
    await retireCurrent(tx, purpose, ctx.clock());
    await insertCurrent(tx, row);
  });
  forgetCachedKeys(ctx, purpose);
  return { kid: row.kid };
}

/** Deletes retired keys that are no longer published. */
export function deleteOldKeys(ctx: Pick<KeyContext, 'clock' | 'db'>): Promise<number> {
  return deleteRetiredBefore(ctx.db.system, oldestPublished(ctx.clock()));
}

/** Creates missing keys. Many processes may do this at once: the first to insert wins, the others use its key. */
export async function ensureSigningKeys(ctx: KeyContext): Promise<void> {
  for (const purpose of signingPurposes) {
    if (!(await hasCurrent(ctx.db.system, purpose))) await insertCurrent(ctx.db.system, newKeyRow(ctx, purpose));
  }
}

/** Creates the row of a new key: the private half is encrypted for its own row. */
function newKeyRow(ctx: KeyContext, purpose: SigningPurpose): SigningKeyRow {
  const { kid, publicKey, privateKey } = generateKey(ctx.random, purpose);
  const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
  return {
    kid,
    purpose,
    public_key: publicPem(publicKey),
    private_key: ctx.keyring.seal(privateKeyPlace(kid), pkcs8),
    created_at: ctx.clock(),
    retired_at: null,
  };
}

const curves = {
  jwt: { openssl: 'prime256v1', jwk: 'P-256' },
  'action-ecdsa': { openssl: 'secp256k1', jwk: 'secp256k1' },
} as const;

// RFC 8410: a PKCS #8 Ed25519 key is these bytes followed by the 32-byte seed.
const ed25519Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Generates a key pair from the given randomness; an RSA key, which needs primes, from Node's own. */
export function generateKey(random: Random, purpose: SigningPurpose): SigningKey {
  const privateKey = newPrivateKey(random, purpose);
  const publicKey = createPublicKey(privateKey);
  return { kid: thumbprint(publicKey), publicKey, privateKey, retiredAt: undefined };
}

function newPrivateKey(random: Random, purpose: SigningPurpose): KeyObject {
  if (purpose === 'jwt-rs256') return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  return purpose === 'action-ed25519' ? ed25519Key(random) : ecKey(random, curves[purpose]);
}

function ed25519Key(random: Random): KeyObject {
  const der = Buffer.concat([ed25519Prefix, random.bytes(32)]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

function ecKey(random: Random, curve: { openssl: string; jwk: string }): KeyObject {
  const scalar = Buffer.from(random.bytes(32));
  const ecdh = createECDH(curve.openssl);
  // Throws for a scalar above the group order, which occurs less than once in four billion draws.
  ecdh.setPrivateKey(scalar);
  const point = ecdh.getPublicKey();
  const text = (bytes: Buffer) => bytes.toString('base64url');
  const x = text(point.subarray(1, 33));
  const y = text(point.subarray(33));
  return createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: curve.jwk, x, y, d: text(scalar) } });
}

function thumbprint(key: KeyObject): string {
  const { crv, e, kty, n, x, y } = publicJwk(key);
  // RFC 7638: the members that this kind of key requires, in alphabetical order, without white space.
  return hash('sha256', JSON.stringify({ crv, e, kty, n, x, y }), 'base64url');
}

/** Returns the public half as a JSON Web Key, without anything of the private one. */
export function publicJwk(key: KeyObject): JsonWebKey {
  if (key.type !== 'public') throw new Error('Only a public key may be published.');
  return key.export({ format: 'jwk' });
}

/** Returns the public half as SPKI in PEM, which most tools read. */
export function publicPem(key: KeyObject): string {
  if (key.type !== 'public') throw new Error('Only a public key may be published.');
  return key.export({ format: 'pem', type: 'spki' }).toString();
}

/** Returns a secp256k1 key in the format that mini-apps compare: `0x04` and both coordinates in lower-case hex. */
export function uncompressedHex(key: KeyObject): string {
  const { x, y } = publicJwk(key);
  return `0x04${coordinate(x).toString('hex')}${coordinate(y).toString('hex')}`;
}

/** Returns the 32 bytes of an Ed25519 key in the formats for mini-apps. */
export function ed25519Texts(key: KeyObject): { base58: string; hex: string } {
  const bytes = coordinate(publicJwk(key).x);
  return { base58: base58.encode(bytes), hex: bytes.toString('hex') };
}

function coordinate(part: string | undefined): Buffer {
  const bytes = Buffer.from(part ?? '', 'base64url');
  if (bytes.length !== 32) throw new Error('The key type does not match this format.');
  return bytes;
}

type ReadContext = Omit<KeyContext, 'random'>;

interface KeySet {
  current: SigningKey | undefined;
  /** The current key and recently retired ones. */
  published: PublicKey[];
}

const cacheSeconds = 5;

// Cached per database and not per module, because one process may serve several. After a rotation elsewhere, a process
// may sign with the old key for these few seconds; that key stays published, so its signatures are accepted.
const caches = new WeakMap<Database, Map<SigningPurpose, { loadedAt: number; keys: Promise<KeySet> }>>();

/** Returns the current key. */
export async function currentKey(ctx: ReadContext, purpose: SigningPurpose): Promise<SigningKey> {
  const { current } = await readKeys(ctx, purpose);
  if (current === undefined) throw new Error(`There is no ${purpose} key yet: start the server once to create it.`);
  return current;
}

/** Returns the keys for verifying signatures: the current one first, then the retired ones. */
export async function listPublicKeys(ctx: ReadContext, purpose: SigningPurpose): Promise<readonly PublicKey[]> {
  return (await readKeys(ctx, purpose)).published;
}

/** Lists since when each key signs, and until when each did. */
export function listSigningKeys(ctx: Pick<KeyContext, 'db'>): ReturnType<typeof selectKeyStates> {
  return selectKeyStates(ctx.db.system);
}

/** Finds a published key by its id. An unknown id may belong to a key that another process just created. */
export async function findPublicKey(
  ctx: ReadContext,
  purpose: SigningPurpose,
  kid: string,
): Promise<PublicKey | undefined> {
  const isIt = (key: PublicKey) => key.kid === kid;
  const known = (await readKeys(ctx, purpose)).published.find(isIt);
  if (known !== undefined) return known;
  forgetCachedKeys(ctx, purpose);
  return (await readKeys(ctx, purpose)).published.find(isIt);
}

function forgetCachedKeys(ctx: Pick<KeyContext, 'db'>, purpose: SigningPurpose): void {
  caches.get(ctx.db)?.delete(purpose);
}

function readKeys(ctx: ReadContext, purpose: SigningPurpose): Promise<KeySet> {
  const cache = caches.get(ctx.db) ?? new Map();
  caches.set(ctx.db, cache);
  const now = ctx.clock().getTime();
  const cached = cache.get(purpose);
  if (cached !== undefined && Math.abs(now - cached.loadedAt) < cacheSeconds * 1000) return cached.keys;
  const keys = loadKeys(ctx, purpose);
  const entry = { loadedAt: now, keys };
  cache.set(purpose, entry);
  keys.catch(() => {
    if (cache.get(purpose) === entry) cache.delete(purpose);
  });
  return keys;
}

async function loadKeys(ctx: ReadContext, purpose: SigningPurpose): Promise<KeySet> {
  const rows = await selectPublished(ctx.db.system, purpose, oldestPublished(ctx.clock()));
  const current = rows.find((row) => row.retired_at === null);
  return { current: current && withPrivateHalf(ctx, current), published: rows.map(publicHalf) };
}

function publicHalf(row: SigningKeyRow): PublicKey {
  return { kid: row.kid, publicKey: createPublicKey(row.public_key), retiredAt: row.retired_at ?? undefined };
}

function withPrivateHalf(ctx: ReadContext, row: SigningKeyRow): SigningKey {
  const der = ctx.keyring.open(privateKeyPlace(row.kid), row.private_key);
  return { ...publicHalf(row), privateKey: createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }) };
}
