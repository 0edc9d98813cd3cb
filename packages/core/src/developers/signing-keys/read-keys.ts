import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { Database } from '@latchkey/db';
import { type SigningKeyRow, selectKeyStates, selectPublished } from './queries.ts';
import {
  type KeyContext,
  oldestPublished,
  type PublicKey,
  privateKeyPlace,
  type SigningKey,
  type SigningPurpose,
} from './signing-key.ts';

type ReadContext = Omit<KeyContext, 'random'>;

interface KeySet {
  current: SigningKey | undefined;
  /** The current key and those retired lately. */
  published: PublicKey[];
}

const cacheSeconds = 5;

// Kept per database and not per module, for one process may serve several. After a rotation elsewhere a process may sign
// with the old key for these few seconds; that key stays published, so nothing it signs is refused.
const caches = new WeakMap<Database, Map<SigningPurpose, { loadedAt: number; keys: Promise<KeySet> }>>();

/** The key that signs now. */
export async function currentKey(ctx: ReadContext, purpose: SigningPurpose): Promise<SigningKey> {
  const { current } = await readKeys(ctx, purpose);
  if (current === undefined) throw new Error(`There is no ${purpose} key yet: start the server once to make it.`);
  return current;
}

/** The keys that signatures may be verified with: the current one first, then the retired ones. */
export async function listPublicKeys(ctx: ReadContext, purpose: SigningPurpose): Promise<readonly PublicKey[]> {
  return (await readKeys(ctx, purpose)).published;
}

/** Since when each key signs, and until when each did. */
export function listSigningKeys(ctx: Pick<KeyContext, 'db'>): ReturnType<typeof selectKeyStates> {
  return selectKeyStates(ctx.db.system);
}

/** A published key by its id. An id that is not known yet may belong to a key another process just made. */
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

export function forgetCachedKeys(ctx: Pick<KeyContext, 'db'>, purpose: SigningPurpose): void {
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
