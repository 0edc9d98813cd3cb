import { isPersonCredential, type Presence, presenceProofs } from '@latchkey/kernel';
import { compactDecrypt, errors, type JWTPayload, jwtVerify } from 'jose';
import { findPublicKey } from '../../services/signing-keys/index.ts';
import {
  type AeContext,
  type AeUser,
  aeKeyPurpose,
  aeSkewSeconds,
  aeTokenType,
  maxAeTokenLength,
  maxAeTtlSeconds,
} from './ae-token.ts';
import { isCompact } from './compact-token.ts';
import { refusedCredential } from './refused.ts';

export interface OpenedAeToken {
  jti: string;
  user: AeUser;
  issuedAt: Date;
  /** From then on the token is refused, regardless of clock skew. */
  refusedFrom: Date;
}

const refused = () => refusedCredential('AE token');

/** Decrypts a token and verifies everything except whether it was revoked. */
export async function openAeToken(ctx: AeContext, token: string): Promise<OpenedAeToken> {
  try {
    return read(await verify(ctx, await decrypt(ctx, token)));
  } catch (error) {
    throw error instanceof errors.JOSEError ? refused() : error;
  }
}

async function decrypt(ctx: AeContext, token: string): Promise<string> {
  if (token.length > maxAeTokenLength || !isCompact(token, 5)) throw refused();
  const { plaintext } = await compactDecrypt(
    token,
    (header) => {
      refuseOtherFields(header, ['alg', 'enc', 'kid', 'cty']);
      const found = ctx.keyring.derive(aeKeyPurpose).find(({ id }) => id === header.kid);
      if (found === undefined) throw refused();
      return found.key;
    },
    { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
  );
  return Buffer.from(plaintext).toString('latin1');
}

async function verify(ctx: AeContext, signed: string): Promise<JWTPayload> {
  if (!isCompact(signed, 3)) throw refused();
  const { payload } = await jwtVerify(
    signed,
    async (header) => {
      refuseOtherFields(header, ['alg', 'kid', 'typ']);
      const found = await findPublicKey(ctx, 'jwt', String(header.kid));
      if (found === undefined) throw refused();
      return found.publicKey;
    },
    {
      algorithms: ['ES256'],
      typ: aeTokenType,
      issuer: ctx.settings.baseUrl,
      audience: ctx.settings.baseUrl,
      currentDate: ctx.clock(),
      clockTolerance: aeSkewSeconds,
      maxTokenAge: maxAeTtlSeconds,
      requiredClaims: ['exp', 'jti', 'sub'],
    },
  );
  return payload;
}

// A header that names a key by URL or value (jku, jwk, x5u), or requests a feature (crit, zip), is not one of ours.
function refuseOtherFields(header: object, known: readonly string[]): void {
  if (!Object.keys(header).every((field) => known.includes(field))) throw refused();
}

function read(payload: JWTPayload): OpenedAeToken {
  const { sub: userId, jti, iat, exp, platform, name, scope, purpose, credential, azp } = payload;
  if (typeof userId !== 'string' || typeof jti !== 'string' || typeof exp !== 'number') throw refused();
  if (typeof iat !== 'number') throw refused();
  if (typeof platform !== 'string' || typeof scope !== 'string') throw refused();
  if (typeof credential !== 'string' || !isPersonCredential(credential)) throw refused();
  const presence = readPresence(payload);
  const scopes = scope === '' ? [] : scope.split(' ');
  return {
    jti,
    user: {
      userId,
      platform,
      scopes,
      credential,
      ...(presence !== undefined && { presence }),
      ...(typeof azp === 'string' && { clientId: azp }),
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof purpose === 'string' && { purpose }),
    },
    issuedAt: new Date(iat * 1000),
    refusedFrom: new Date((exp + aeSkewSeconds) * 1000),
  };
}

function readPresence({ seen_by, seen_at }: JWTPayload): Presence | undefined {
  const how = presenceProofs.find((proof) => proof === seen_by);
  return how === undefined || typeof seen_at !== 'number' ? undefined : { how, at: new Date(seen_at * 1000) };
}
