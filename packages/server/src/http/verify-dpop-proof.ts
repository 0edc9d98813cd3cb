import { createHash } from 'node:crypto';
import { burnNonce, clientSigningAlgs, type Services } from '@latchkey/core';
import { hashSecret } from '@latchkey/db';
import { AppError, addSeconds } from '@latchkey/kernel';
import { calculateJwkThumbprint, EmbeddedJWK, jwtVerify } from 'jose';

/** How old a proof may be, and how far ahead the clock of the caller. */
const windowSeconds = 300;
const maxJtiLength = 256;

interface ProvenRequest {
  /** The header DPoP. */
  proof: string;
  method: string;
  /** With its query, which the proof does not cover. */
  path: string;
  token: string;
}

/**
 * Verifies the proof of a request with an access token that is bound to a key (RFC 9449, 4.3), and returns the
 * thumbprint of that key. Each proof is accepted once.
 */
export async function verifyDpopProof(
  { clock, db, settings }: Pick<Services, 'clock' | 'db' | 'settings'>,
  { proof, method, path, token }: ProvenRequest,
): Promise<string> {
  if (proof === '' || proof.length > 8192) throw refused('Send a proof in the header DPoP (RFC 9449).');
  const { payload, protectedHeader } = await verifySignature(proof);
  const now = clock().getTime() / 1000;
  const { iat, jti, htm, htu, ath } = payload;
  if (typeof iat !== 'number' || Math.abs(now - iat) > windowSeconds) throw refused('The DPoP proof is not recent.');
  if (typeof jti !== 'string' || jti === '' || jti.length > maxJtiLength) throw refused('The DPoP proof needs a jti.');
  const [target = ''] = path.split('?');
  if (htm !== method || !isSameUrl(htu, `${settings.baseUrl}${target}`))
    throw refused('The DPoP proof is for another request.');
  if (ath !== createHash('sha256').update(token).digest('base64url'))
    throw refused('The DPoP proof is for another access token.');
  const thumbprint = await calculateJwkThumbprint(protectedHeader.jwk ?? {});
  const forgetAt = addSeconds(clock(), 2 * windowSeconds);
  if (!(await burnNonce(db.system, hashSecret(`dpop:${thumbprint}:${jti}`), forgetAt)))
    throw refused('The DPoP proof was used before.');
  return thumbprint;
}

async function verifySignature(proof: string) {
  try {
    // Times are checked by our own clock.
    return await jwtVerify(proof, EmbeddedJWK, { algorithms: [...clientSigningAlgs], typ: 'dpop+jwt' });
  } catch {
    throw refused('The DPoP proof is malformed, or its signature is wrong.');
  }
}

function isSameUrl(claimed: unknown, expected: string): boolean {
  if (typeof claimed !== 'string' || !URL.canParse(claimed)) return false;
  const { origin, pathname } = new URL(claimed);
  const wanted = new URL(expected);
  return origin === wanted.origin && pathname === wanted.pathname;
}

function refused(message: string): AppError {
  return new AppError('INVALID_CREDENTIAL', message);
}
