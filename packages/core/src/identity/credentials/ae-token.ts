import { createHmac } from 'node:crypto';
import { hashSecret, type Keyring, type Sql } from '@latchkey/db';
import {
  type Actor,
  addSeconds,
  type ClientRef,
  credentialKinds,
  isPersonCredential,
  observed,
  type Presence,
  presenceProofs,
} from '@latchkey/kernel';
import { CompactEncrypt, compactDecrypt, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { recordAudit } from '../../services/audit/index.ts';
import { currentKey, findPublicKey } from '../../services/signing-keys/index.ts';
import type { Context } from '../../shared/context.ts';
import type { FindClient } from './access-token.ts';
import { isCompact } from './compact-token.ts';
import { burnNonce, findRevoked, insertRevoked, insertSession, type SessionRow } from './queries.ts';
import { refusedCredential } from './refused.ts';

/** A user as in an AE token: who they are, how they signed in and what the token may be used for. */
interface AeUser
  extends Pick<
    Extract<Actor, { kind: 'user' }>,
    'userId' | 'platform' | 'name' | 'scopes' | 'purpose' | 'credential' | 'presence'
  > {
  /** The one application it was issued for. */
  clientId?: string;
}

type AeContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'origin' | 'settings'>;

export const maxAeTtlSeconds = 3600;

const maxAeTokenLength = 8192;

/** The tolerated clock skew between the process that issues a token and the one that verifies it. */
export const aeSkewSeconds = 60;

/** Distinguishes AE tokens from all other tokens signed with the same key, so that none can pass for another. */
const aeTokenType = 'ae+jwt';

const aeKeyPurpose = 'ae-token';

/**
 * Issues a token that identifies a user: signed, so that any process can verify it, and encrypted, so that only ours
 * can read it. It is listed as a session of the user, who can end it.
 */
export async function issueAeToken(
  ctx: AeContext & Pick<Context, 'random'>,
  user: AeUser & { ttlSeconds: number },
): Promise<string> {
  if (!(user.ttlSeconds > 0 && user.ttlSeconds <= maxAeTtlSeconds)) {
    throw new Error(`An AE token is valid for 1 to ${maxAeTtlSeconds} seconds, not ${user.ttlSeconds}.`);
  }
  const id = ctx.random.id();
  const issuedAt = Math.floor(ctx.clock().getTime() / 1000);
  const token = await encrypt(ctx, await sign(ctx, user, id, issuedAt));
  if (token.length > maxAeTokenLength) throw new Error('The name or the scopes are too long for an AE token.');
  await insertSession(ctx.db.system, {
    id,
    user_id: user.userId,
    credential: user.credential,
    client_id: user.clientId ?? null,
    scopes: [...user.scopes],
    created_at: ctx.clock(),
    expires_at: new Date((issuedAt + user.ttlSeconds) * 1000),
  });
  await recordAudit(ctx.db.system, {
    at: ctx.clock(),
    who: user.userId,
    through: credentialKinds[user.credential].through === 'command line' ? 'command-line' : 'page',
    action: 'session.create',
    target: id,
    requestId: ctx.origin?.requestId,
    fromAddress: ctx.origin?.address,
    details: { kind: user.credential, ...(user.clientId !== undefined && { clientId: user.clientId }) },
  });
  observed.signIn.record({ method: user.credential });
  return token;
}

async function sign(
  ctx: AeContext,
  user: AeUser & { ttlSeconds: number },
  id: string,
  issuedAt: number,
): Promise<string> {
  const { kid, privateKey } = await currentKey(ctx, 'jwt');
  const { platform, name, purpose, credential, presence, clientId } = user;
  const seen = presence && { seen_by: presence.how, seen_at: Math.floor(presence.at.getTime() / 1000) };
  const claims = { platform, name, purpose, credential, azp: clientId, ...seen };
  return new SignJWT({ ...claims, scope: user.scopes.join(' ') })
    .setProtectedHeader({ alg: 'ES256', kid, typ: aeTokenType })
    .setSubject(user.userId)
    .setIssuer(ctx.settings.baseUrl)
    .setAudience(ctx.settings.baseUrl)
    .setJti(id)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + user.ttlSeconds)
    .sign(privateKey);
}

function encrypt(ctx: AeContext, signed: string): Promise<string> {
  const [current] = ctx.keyring.derive(aeKeyPurpose);
  if (current === undefined) throw new Error('The keyring is empty.');
  return new CompactEncrypt(Buffer.from(signed))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: current.id, cty: 'JWT' })
    .encrypt(current.key);
}

interface OpenedAeToken {
  jti: string;
  user: AeUser;
  issuedAt: Date;
  /** From then on the token is refused, regardless of clock skew. */
  refusedFrom: Date;
}

const refused = () => refusedCredential('AE token');

/** Decrypts a token and verifies everything except whether it was revoked. */
async function openAeToken(ctx: AeContext, token: string): Promise<OpenedAeToken> {
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

/**
 * Returns the user of a token and consumes it: of several concurrent uses one succeeds, and no later one. A token that
 * was issued for one purpose or one application does not prove a sign-in.
 */
export async function useUpAeToken(ctx: AeContext, token: string): Promise<Extract<Actor, { kind: 'user' }>> {
  const user = await verifyAeToken(ctx, token);
  if (user.purpose !== undefined || !credentialKinds[user.credential].logsIn) throw refusedCredential('AE token');
  const { jti, refusedFrom } = await openAeToken(ctx, token);
  if (!(await burnNonce(ctx.db.system, hashSecret(`ae-token:${jti}`), refusedFrom)))
    throw refusedCredential('AE token');
  await insertRevoked(ctx.db.system, jti, refusedFrom);
  return user;
}

/**
 * Returns the user of a token; throws INVALID_CREDENTIAL if it is not a valid token of ours. One that was issued for an
 * application is accepted only if `findClient` is given.
 */
export async function verifyAeToken(
  ctx: AeContext,
  token: string,
  findClient?: FindClient,
): Promise<Extract<Actor, { kind: 'user' }>> {
  const { jti, user, issuedAt } = await openAeToken(ctx, token);
  const marks = endMarks(ctx.keyring, user.userId);
  const revoked = await findRevoked(ctx.db, [jti, ...marks]);
  const hasEnded = marks.some((mark) => {
    const until = revoked.get(mark);
    return until !== undefined && issuedAt <= endedAt(until);
  });
  if (revoked.has(jti) || hasEnded) throw refusedCredential('AE token');
  const { clientId, ...person } = user;
  if (clientId === undefined) return { kind: 'user', ...person, sessionId: jti };
  const client = await findClient?.(clientId);
  if (client === undefined) throw refusedCredential('AE token');
  return { kind: 'user', ...person, sessionId: jti, client: withoutInternal(client) };
}

/** The internal scope stays with the API keys of the operator's own applications: a page cannot have it. */
function withoutInternal(client: ClientRef): ClientRef {
  return { ...client, allowedScopes: (client.allowedScopes ?? ['$all']).filter((scope) => scope !== '$internal') };
}

/** Revokes a token early. Doing it twice is not an error; a foreign token is. */
export async function revokeAeToken(ctx: AeContext, token: string): Promise<void> {
  const { jti, refusedFrom } = await openAeToken(ctx, token);
  await insertRevoked(ctx.db.system, jti, refusedFrom);
}

/**
 * Returns the entries in the list of revoked tokens for a user all of whose tokens ended, one per master key, the
 * current one first. User ids of chat platforms can be enumerated, so a plain hash would still identify the user.
 */
export function endMarks(keyring: Keyring, userId: string): string[] {
  return keyring
    .derive('erased-users')
    .map(({ key }) => `user:${createHmac('sha256', key).update(userId).digest('hex')}`);
}

/** Derives when the tokens ended from the mark's expiry, by which every earlier AE token has expired. */
function endedAt(markExpiresAt: Date): Date {
  return addSeconds(markExpiresAt, -(maxAeTtlSeconds + aeSkewSeconds));
}

/** Puts a session on the revocation list, until it would expire anyway. */
export async function revokeSession(db: Sql, { id, expires_at }: Pick<SessionRow, 'id' | 'expires_at'>): Promise<void> {
  await insertRevoked(db, id, addSeconds(expires_at, aeSkewSeconds));
}
