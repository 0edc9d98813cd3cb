import { createPrivateKey, sign as signWith, verify } from 'node:crypto';
import { currentKey, listPublicKeys, uncompressedHex } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';

/** A call must be this recent, in either direction. */
export const signatureWindowMs = 5 * 60 * 1000;

type SignContext = Pick<Context, 'clock' | 'db' | 'evmWallets' | 'keyring'>;

export interface SignatureHeaders {
  'x-signature-timestamp': string;
  'x-signature-ed25519': string;
  'x-signature-ecdsa': string;
}

/**
 * Which signatures a mini-app gets. The published framework verifies ECDSA if it gets both, and most apps have only one
 * key.
 */
export type SignatureKind = 'ed25519' | 'ecdsa' | 'both';

/**
 * Signs a body for a mini-app with both of this server's published keys: the time in milliseconds, directly followed by
 * the exact body. Ed25519 as hex; ECDSA like personal_sign, which wallets and their libraries can verify.
 */
export async function signAction(ctx: SignContext, body: string): Promise<SignatureHeaders> {
  const timestamp = String(ctx.clock().getTime());
  const text = timestamp + body;
  const [ed25519, ecdsa] = await Promise.all([signEd25519(ctx, text), signEcdsa(ctx, text)]);
  return { 'x-signature-timestamp': timestamp, 'x-signature-ed25519': ed25519, 'x-signature-ecdsa': ecdsa };
}

/** The same, but only with the signatures that an app verifies. */
export async function signActionAs(
  ctx: SignContext,
  kind: SignatureKind,
  body: string,
): Promise<Partial<SignatureHeaders> & Record<string, string>> {
  if (kind === 'both') return { ...(await signAction(ctx, body)) };
  const timestamp = String(ctx.clock().getTime());
  const text = timestamp + body;
  return kind === 'ed25519'
    ? { 'x-signature-timestamp': timestamp, 'x-signature-ed25519': await signEd25519(ctx, text) }
    : { 'x-signature-timestamp': timestamp, 'x-signature-ecdsa': await signEcdsa(ctx, text) };
}

async function signEd25519(ctx: SignContext, text: string): Promise<string> {
  const { privateKey } = await currentKey(ctx, 'action-ed25519');
  return signWith(null, Buffer.from(text), privateKey).toString('hex');
}

async function signEcdsa(ctx: SignContext, text: string): Promise<string> {
  const { privateKey } = await currentKey(ctx, 'action-ecdsa');
  const { d = '' } = privateKey.export({ format: 'jwk' });
  return ctx.evmWallets.personalSign(Buffer.from(d, 'base64url'), text);
}

/** The same with the key of one mini-app, for its webhook events. The key is its seed and its public half. */
export function signForApp(
  privateKey: Uint8Array,
  now: Date,
  body: string,
): Omit<SignatureHeaders, 'x-signature-ecdsa'> {
  const timestamp = String(now.getTime());
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), privateKey.subarray(0, 32)]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return {
    'x-signature-timestamp': timestamp,
    'x-signature-ed25519': signWith(null, Buffer.from(timestamp + body), key).toString('hex'),
  };
}

export interface ReceivedSignature {
  timestamp: number;
  ed25519?: string | undefined;
  ecdsa?: string | undefined;
}

/**
 * Whether this server signed a call just now, with a key that is still published. If both signatures are present, ECDSA
 * is checked.
 */
export async function isSignedByUs(
  ctx: SignContext,
  { timestamp, ed25519, ecdsa }: ReceivedSignature,
  body: Uint8Array,
): Promise<boolean> {
  if (!(Math.abs(ctx.clock().getTime() - timestamp) < signatureWindowMs)) return false;
  const text = Buffer.concat([Buffer.from(String(timestamp)), body]);
  if (ecdsa !== undefined) {
    const keys = await listPublicKeys(ctx, 'action-ecdsa');
    return keys.some(({ publicKey }) => ctx.evmWallets.isPersonalSignature(uncompressedHex(publicKey), text, ecdsa));
  }
  if (ed25519 === undefined || !/^[0-9a-f]{128}$/i.test(ed25519)) return false;
  const keys = await listPublicKeys(ctx, 'action-ed25519');
  return keys.some(({ publicKey }) => verify(null, text, publicKey, Buffer.from(ed25519, 'hex')));
}
