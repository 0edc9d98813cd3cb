import { hashSecret } from '@latchkey/db';
import { addMs } from '@latchkey/kernel';
import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { currentKey, findPublicKey } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';
import { burnNonce } from '../credentials/index.ts';
import { type Ceremony, type Challenge, ceremonies, type UserVerification, userVerifications } from './challenge.ts';

type TokenContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'settings'>;

/** Distinguishes these tokens from all others signed with the same key, so that none can pass for another. */
const tokenType = 'webauthn-challenge+jwt';

/** Creates a challenge that contains its own terms, so that nothing is stored until a response arrives. */
export async function signChallenge(
  ctx: TokenContext & Pick<Context, 'random'>,
  challenge: Challenge,
  callerText: string | undefined,
): Promise<string> {
  const { kid, privateKey } = await currentKey(ctx, 'jwt');
  const { ceremony, rpId, userId, userVerification, expiresAt } = challenge;
  return new SignJWT({ ceremony, rpID: rpId, userVerification, sub: userId, challenge: callerText })
    .setProtectedHeader({ alg: 'ES256', kid, typ: tokenType })
    .setIssuer(ctx.settings.baseUrl)
    .setAudience(ctx.settings.baseUrl)
    .setJti(ctx.random.id())
    .setIssuedAt(ctx.clock())
    .setExpirationTime(expiresAt)
    .sign(privateKey);
}

/** Returns the terms of a signed challenge; undefined if it is not ours or has expired. */
export async function openSigned(
  ctx: TokenContext,
  token: string,
): Promise<{ terms: Challenge; useUp(): Promise<boolean> } | undefined> {
  const payload = await open(ctx, token);
  const terms = payload && read(payload);
  if (terms === undefined || payload?.jti === undefined) return undefined;
  const hash = hashSecret(`webauthn-challenge:${payload.jti}`);
  // A process whose clock is behind still accepts the token for a while.
  const forgetAt = addMs(terms.expiresAt, 60_000);
  return { terms, useUp: () => burnNonce(ctx.db.system, hash, forgetAt) };
}

async function open(ctx: TokenContext, token: string): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid }) => {
        const found = await findPublicKey(ctx, 'jwt', String(kid));
        if (found === undefined) throw new errors.JWKSNoMatchingKey();
        return found.publicKey;
      },
      {
        algorithms: ['ES256'],
        typ: tokenType,
        issuer: ctx.settings.baseUrl,
        audience: ctx.settings.baseUrl,
        currentDate: ctx.clock(),
        requiredClaims: ['exp', 'jti'],
      },
    );
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

function read({ ceremony, rpID, userVerification, sub, exp }: JWTPayload): Challenge | undefined {
  if (typeof rpID !== 'string' || exp === undefined) return undefined;
  const found = {
    ceremony: ceremonies.find((one): one is Ceremony => one === ceremony),
    userVerification: userVerifications.find((one): one is UserVerification => one === userVerification),
  };
  if (found.ceremony === undefined || found.userVerification === undefined) return undefined;
  return {
    ceremony: found.ceremony,
    rpId: rpID,
    userId: sub,
    userVerification: found.userVerification,
    // Approvals always use challenges that the server stores.
    boundTo: undefined,
    expiresAt: new Date(exp * 1000),
  };
}
