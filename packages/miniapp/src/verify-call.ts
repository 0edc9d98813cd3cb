import { joinBytes, readBigInt, readHex } from './bytes.ts';
import { keccak256 } from './keccak.ts';
import { type ReadKeys, readKeys, type ServerKeys } from './keys.ts';
import { nowMs } from './runtime.ts';
import { isSignedBy } from './secp256k1.ts';

const windowMs = 5 * 60 * 1_000;

/** Why a call is not believed, and the status to answer it with. */
export interface Doubt {
  status: 400 | 401;
  message: string;
}

/**
 * Whether a call is signed by one of these keys, and just now: for what is not sent to a mini-app made by `createMiniApp`, as
 * the webhook of your manifest, which is signed with the key of your own registration.
 */
export async function isSignedCall(headers: Headers, body: Uint8Array, keys: ServerKeys): Promise<boolean> {
  return (await doubtCall(headers, body, readKeys(keys))) === undefined;
}

/**
 * Checks that the server signed this body, and did so within five minutes of now. Returns what is wrong, or undefined. Every
 * signature that came and that there is a key for must be right; at least one must.
 */
export async function doubtCall(headers: Headers, body: Uint8Array, keys: ReadKeys): Promise<Doubt | undefined> {
  const timestamp = headers.get('x-signature-timestamp');
  const ed25519 = headers.get('x-signature-ed25519');
  const ecdsa = headers.get('x-signature-ecdsa');
  if (timestamp === null || timestamp === '')
    return { status: 400, message: 'The header X-Signature-Timestamp is missing.' };
  if (ed25519 === null && ecdsa === null) return { status: 400, message: 'The signature is missing.' };
  if (!/^\d{1,16}$/.test(timestamp) || Math.abs(nowMs() - Number(timestamp)) > windowMs)
    return { status: 401, message: 'The call is older than five minutes, or its time is wrong.' };
  const signed = joinBytes(new TextEncoder().encode(timestamp), body);
  const checks = [
    ...(ed25519 !== null && keys.ed25519 ? [await isEd25519(keys.ed25519, ed25519, signed)] : []),
    ...(ecdsa !== null && keys.ecdsa ? [isPersonalSign(keys.ecdsa, ecdsa, signed)] : []),
  ];
  const isRight = checks.length > 0 && checks.every((isGood) => isGood);
  return isRight ? undefined : { status: 401, message: 'The signature is wrong.' };
}

async function isEd25519(publicKey: Uint8Array<ArrayBuffer>, signature: string, signed: Uint8Array<ArrayBuffer>) {
  const bytes = readHex(signature);
  if (bytes?.length !== 64) return false;
  const key = await crypto.subtle.importKey('raw', publicKey, { name: 'Ed25519' }, false, ['verify']);
  return crypto.subtle.verify({ name: 'Ed25519' }, key, bytes, signed);
}

/** EIP-191: what wallets sign as a message. The last byte only helps to find a key, and this key is known. */
function isPersonalSign(publicKey: Uint8Array, signature: string, signed: Uint8Array): boolean {
  const bytes = readHex(signature);
  if (bytes?.length !== 65) return false;
  const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${signed.length}`);
  const digest = keccak256(joinBytes(prefix, signed));
  return isSignedBy(publicKey, digest, readBigInt(bytes.subarray(0, 32)), readBigInt(bytes.subarray(32, 64)));
}
