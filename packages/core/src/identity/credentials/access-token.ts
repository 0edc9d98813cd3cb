import { hashSecret } from '@latchkey/db';
import { type Actor, AppError, addSeconds, type ClientRef, type PersonCredential, type Random } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type AccessTokenRow, findAccessToken, insertAccessToken, markAccessTokenRevoked } from './queries.ts';
import { refusedCredential } from './refused.ts';

const accessTokenPrefix = 'lk_at_';

/** The actor of an access token: a user who authorized a client application, or the application itself. */
export type TokenHolder =
  | { kind: 'user'; userId: string; platform: string; name?: string; clientId?: string }
  | { kind: 'client'; clientId: string };

/** Finds an active client application. */
export type FindClient = (clientId: string) => Promise<ClientRef | undefined>;

/** Whether the roles and holdings that a token relies on are still valid. */
export type StillHolds = (userId: string, reliedOn: Record<string, unknown>) => Promise<boolean>;

/** Creates a token of 256 random bits, with a prefix that secret scanners recognize. */
export function newAccessToken(random: Random): string {
  return `${accessTokenPrefix}${Buffer.from(random.bytes(32)).toString('base64url')}`;
}

/** Whether a text has the format of our access tokens; anything else need not be looked up. */
export function looksLikeAccessToken(token: string): boolean {
  return /^lk_at_[A-Za-z0-9_-]{43}$/.test(token);
}

export interface AccessTokenRequest {
  holder: TokenHolder;
  scopes: readonly string[];
  ttlSeconds: number;
}

/**
 * Issues an opaque token of 256 random bits, of which only the hash is stored. Written as the system, not as a tenant.
 */
export async function issueAccessToken(
  ctx: Pick<Context, 'clock' | 'db' | 'random'>,
  { holder, scopes, ttlSeconds }: AccessTokenRequest,
): Promise<{ token: string; expiresAt: Date }> {
  if (!(ttlSeconds > 0)) throw new Error(`An access token must be valid for more than ${ttlSeconds} seconds.`);
  const token = newAccessToken(ctx.random);
  const issuedAt = ctx.clock();
  const expiresAt = addSeconds(issuedAt, ttlSeconds);
  const user = holder.kind === 'user' ? holder : undefined;
  const row = {
    token_hash: hashSecret(token),
    user_id: user?.userId ?? null,
    platform: user?.platform ?? null,
    user_name: user?.name ?? null,
    client_id: holder.clientId ?? null,
    scopes: [...scopes],
    issued_at: issuedAt,
    expires_at: expiresAt,
    revoked_at: null,
    grant_id: null,
    details: null,
    relied_on: null,
  };
  await insertAccessToken(ctx.db.system, row);
  return { token, expiresAt };
}

/**
 * The user or client application of a token; throws INVALID_CREDENTIAL when it is not active. A token that is bound to
 * a key (RFC 9449) needs proof that the caller has it: `keyThumbprint` is that of the key which they proved to have.
 */
export async function verifyAccessToken(
  ctx: Pick<Context, 'clock' | 'db'>,
  token: string,
  findClient: FindClient,
  { stillHolds, keyThumbprint }: { stillHolds?: StillHolds; keyThumbprint?: string | undefined } = {},
): Promise<Actor> {
  const row = looksLikeAccessToken(token) ? await findAccessToken(ctx.db, hashSecret(token)) : undefined;
  if (row === undefined || row.revoked_at !== null || row.expires_at <= ctx.clock())
    throw refusedCredential('access token');
  if (row.details?.jkt !== keyThumbprint)
    throw new AppError(
      'INVALID_CREDENTIAL',
      keyThumbprint === undefined
        ? 'The access token is bound to a key. Send it as Authorization: DPoP, with a proof in the header DPoP.'
        : 'The access token is not bound to the key of the proof.',
    );
  const confirms = row.relied_on === null || (await stillHolds?.(row.user_id ?? '', row.relied_on));
  if (confirms !== true) throw refusedCredential('access token');
  if (row.client_id === null) return actorOf(row);
  const client = await findClient(row.client_id);
  // A token does not outlive the application it was issued to.
  if (client === undefined) throw refusedCredential('access token');
  return actorOf(row, client);
}

function actorOf(row: AccessTokenRow, client?: ClientRef): Actor {
  if (row.user_id !== null && row.platform !== null) {
    return {
      kind: 'user',
      userId: row.user_id,
      platform: row.platform,
      scopes: row.scopes,
      credential: credentialOf(row),
      ...(row.user_name === null ? {} : { name: row.user_name }),
      ...(client !== undefined && { client }),
    };
  }
  if (client === undefined) throw refusedCredential('access token');
  return {
    kind: 'client',
    credential: 'client-token',
    client: { ...client, allowedScopes: narrow(client.allowedScopes, row.scopes) },
  };
}

// Only the operator creates tokens without an application; those without a grant were approved in a chat.
function credentialOf({ client_id, grant_id }: AccessTokenRow): PersonCredential {
  if (client_id === null) return 'operator-token';
  return grant_id === null ? 'mini-app-token' : 'access-token';
}

/**
 * Returns the scopes that both the application and its token allow: a token with fewer scopes allows fewer operations.
 */
function narrow(allowed: readonly string[] | null, granted: readonly string[]): readonly string[] | null {
  if (granted.includes('$all')) return allowed;
  if (allowed === null || allowed.includes('$all')) return granted;
  return granted.filter((scope) => allowed.includes(scope));
}

/** Revokes a token. An unknown token is not an error (RFC 7009): the result is already what the caller wants. */
export async function revokeAccessToken(ctx: Pick<Context, 'clock' | 'db'>, token: string): Promise<void> {
  await markAccessTokenRevoked(ctx.db.system, hashSecret(token), ctx.clock());
}
