import { CompactEncrypt, compactDecrypt, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { currentKey, findPublicKey } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';

export type ClaimContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'settings'>;

/** A claim to own assets, as stored in its token. */
export interface Claim {
  id: string;
  userId: string;
  createdAt: Date;
  account: string;
  assets: string[];
  socialId?: string;
  openseaUrl?: string;
  mediaUrl?: string;
}

export const claimTtlSeconds = 30 * 24 * 60 * 60;

// Distinguishes these tokens from all others signed with the same key, so that none can pass for another.
const claimType = 'asset-claim+jwt';
const keyPurpose = 'asset-claim';

/** The URL where anyone can verify a claim. */
export function claimAddress({ settings }: Pick<Context, 'settings'>, token: string): string {
  return `${settings.baseUrl}/asset-verification/${token}`;
}

/** Signs a claim. `ae` also encrypts it, so that only this server can read who claims what. */
export async function writeClaim(ctx: ClaimContext, claim: Claim, format: 'jwt' | 'ae'): Promise<string> {
  const { kid, privateKey } = await currentKey(ctx, 'jwt');
  const { id, userId, createdAt, ...fields } = claim;
  const issuedAt = Math.floor(createdAt.getTime() / 1000);
  const signed = await new SignJWT({ ...fields })
    .setProtectedHeader({ alg: 'ES256', kid, typ: claimType })
    .setSubject(userId)
    .setIssuer(ctx.settings.baseUrl)
    .setAudience(ctx.settings.baseUrl)
    .setJti(id)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + claimTtlSeconds)
    .sign(privateKey);
  if (format === 'jwt') return signed;
  const [current] = ctx.keyring.derive(keyPurpose);
  if (current === undefined) throw new Error('The keyring is empty.');
  return new CompactEncrypt(Buffer.from(signed))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: current.id, cty: 'JWT' })
    .encrypt(current.key);
}

/** Parses a token that this server issued; undefined for anything else. */
export async function readClaim(ctx: ClaimContext, token: string): Promise<Claim | undefined> {
  try {
    const signed = token.split('.').length === 5 ? await decrypt(ctx, token) : token;
    return signed === undefined ? undefined : toClaim(await verify(ctx, signed));
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}

async function decrypt(ctx: ClaimContext, token: string): Promise<string> {
  const { plaintext } = await compactDecrypt(
    token,
    (header) => {
      const found = ctx.keyring.derive(keyPurpose).find(({ id }) => id === header.kid);
      if (found === undefined) throw new errors.JWEInvalid('Unknown key.');
      return found.key;
    },
    { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
  );
  return Buffer.from(plaintext).toString('utf8');
}

async function verify(ctx: ClaimContext, signed: string): Promise<JWTPayload> {
  const { payload } = await jwtVerify(
    signed,
    async (header) => {
      const found = await findPublicKey(ctx, 'jwt', String(header.kid));
      if (found === undefined) throw new errors.JWSInvalid('Unknown key.');
      return found.publicKey;
    },
    {
      algorithms: ['ES256'],
      typ: claimType,
      issuer: ctx.settings.baseUrl,
      audience: ctx.settings.baseUrl,
      currentDate: ctx.clock(),
      requiredClaims: ['exp', 'iat', 'jti', 'sub'],
    },
  );
  return payload;
}

function toClaim({ jti, sub, iat, account, assets, ...rest }: JWTPayload): Claim | undefined {
  if (typeof jti !== 'string' || typeof sub !== 'string' || typeof iat !== 'number') return undefined;
  if (typeof account !== 'string' || !Array.isArray(assets)) return undefined;
  const text = (name: 'socialId' | 'openseaUrl' | 'mediaUrl') =>
    typeof rest[name] === 'string' ? { [name]: rest[name] } : {};
  return {
    id: jti,
    userId: sub,
    createdAt: new Date(iat * 1000),
    account,
    assets: assets.map(String),
    ...text('socialId'),
    ...text('openseaUrl'),
    ...text('mediaUrl'),
  };
}
