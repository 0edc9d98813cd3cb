import { createHmac, createPublicKey, type KeyObject, verify } from 'node:crypto';

/** What the pairing code says. */
export interface Pairing {
  /** The Latchkey server, without a trailing slash. */
  url: string;
  communityId: string;
  /** What calls are proven with. */
  secret: string;
  /** The only key whose words are accepted. */
  key: KeyObject;
  /** Names the pairing in the app's storage, so that nothing of an earlier one counts. */
  id: string;
}

const version = 'lkdv1';
// RFC 8410: a public Ed25519 key in SPKI is these bytes followed by the key.
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');

/** Undefined if it is not a pairing code. */
export function readPairing(code: unknown): Pairing | undefined {
  if (typeof code !== 'string') return undefined;
  const [prefix, content = '', ...rest] = code.trim().split('.');
  if (prefix !== version || rest.length > 0) return undefined;
  try {
    const { url, communityId, secret, key } = JSON.parse(Buffer.from(content, 'base64url').toString()) as Record<
      string,
      unknown
    >;
    if (![url, communityId, secret, key].every((value) => typeof value === 'string' && value !== '')) return undefined;
    const raw = Buffer.from(String(key), 'base64url');
    if (raw.length !== 32 || URL.parse(String(url)) === null) return undefined;
    return {
      url: String(url),
      communityId: String(communityId),
      secret: String(secret),
      key: createPublicKey({ key: Buffer.concat([spkiPrefix, raw]), format: 'der', type: 'spki' }),
      id: String(key).slice(0, 16),
    };
  } catch {
    return undefined;
  }
}

/** Where members see what this subreddit needs, and link their wallets. They sign in there with Reddit: the app vouches for nobody. */
export function linkAddress({ url, communityId }: Pick<Pairing, 'url' | 'communityId'>): string {
  return `${url}/console/me/roles?community=${encodeURIComponent(communityId)}`;
}

export function proofOf({ secret }: Pairing, message: string): string {
  return createHmac('sha256', secret).update(`latchkey-devvit-call\n${message}`).digest('base64url');
}

export function isSigned({ key }: Pairing, message: string, signature: string): boolean {
  const text = Buffer.from(`latchkey-devvit-word\n${message}`);
  return verify(null, text, key, Buffer.from(signature, 'base64url'));
}
