import { hashSecret } from '@latchkey/db';
import { findOauthClient, isClientSecret } from '../../identity/client-apps/index.ts';
import {
  type AccessTokenRow,
  findAccessToken,
  insertAccessToken,
  looksLikeAccessToken,
  markAccessTokenRevoked,
} from '../../identity/credentials/index.ts';
import type { Context } from '../../shared/context.ts';
import { type LivingClaims, type LivingContext, stillHold } from './living-claims.ts';
import { selectAccount } from './queries.ts';

/** An access token as the provider library reads it. Times are in seconds since 1970. */
export interface ProviderToken {
  [field: string]: unknown;
  kind: 'AccessToken' | 'ClientCredentials';
  accountId?: string | undefined;
  clientId?: string | undefined;
  grantId?: string | undefined;
  scope?: string | undefined;
  /** The introspection fields beyond the standard ones. */
  extra?: (LivingClaims & { username?: string }) | undefined;
  iat?: number | undefined;
  exp?: number | undefined;
}

/** Stores a token of the provider with all others, so that one lookup serves every bearer token. */
export async function putProviderToken(ctx: Pick<Context, 'db'>, token: string, fields: ProviderToken): Promise<void> {
  // jti is the token itself, and the claims it relies on have their own column.
  const { kind: _, accountId, clientId, grantId, scope, extra, iat, exp, jti: __, ...details } = fields;
  if (iat === undefined || exp === undefined) throw new Error('A token needs an issue time and an expiry time.');
  const account = accountId === undefined ? undefined : await selectAccount(ctx.db.system, accountId);
  if (accountId !== undefined && account === undefined) throw new Error('The token’s account is unknown.');
  const reliedOn = extra?.roles === undefined && extra?.holdings === undefined ? null : toRecord(extra);
  await insertAccessToken(ctx.db.system, {
    token_hash: hashSecret(token),
    user_id: account?.user_id ?? null,
    platform: account?.platform ?? null,
    user_name: account?.name ?? null,
    client_id: clientId ?? null,
    scopes: scope === undefined || scope === '' ? [] : scope.split(' '),
    issued_at: new Date(iat * 1000),
    expires_at: new Date(exp * 1000),
    revoked_at: null,
    grant_id: grantId ?? null,
    details,
    relied_on: reliedOn,
  });
}

function toRecord({ roles, holdings }: LivingClaims): Record<string, unknown> {
  return { ...(roles !== undefined && { roles }), ...(holdings !== undefined && { holdings }) };
}

/** Finds an active token: not revoked, and its claims still true. It may have expired. */
export async function findProviderToken(
  ctx: LivingContext,
  kind: ProviderToken['kind'],
  token: string,
): Promise<ProviderToken | undefined> {
  if (!looksLikeAccessToken(token)) return undefined;
  const row = await findAccessToken(ctx.db, hashSecret(token));
  if (row === undefined || row.revoked_at !== null || kindOf(row) !== kind) return undefined;
  if (!(await holdsOf(ctx, row))) return undefined;
  return {
    ...row.details,
    jti: token,
    kind,
    ...(row.user_id !== null && { accountId: row.user_id }),
    ...(row.client_id !== null && { clientId: row.client_id }),
    ...(row.grant_id !== null && { grantId: row.grant_id }),
    scope: row.scopes.join(' '),
    extra: { ...row.relied_on, ...(row.user_name !== null && { username: row.user_name }) },
    iat: Math.floor(row.issued_at.getTime() / 1000),
    exp: Math.floor(row.expires_at.getTime() / 1000),
  };
}

export function endProviderToken(ctx: Pick<Context, 'clock' | 'db'>, token: string): Promise<void> {
  return markAccessTokenRevoked(ctx.db.system, hashSecret(token), ctx.clock());
}

function kindOf({ user_id }: AccessTokenRow): ProviderToken['kind'] {
  return user_id === null ? 'ClientCredentials' : 'AccessToken';
}

async function holdsOf(ctx: LivingContext, { user_id, relied_on }: AccessTokenRow): Promise<boolean> {
  return relied_on === null || (user_id !== null && (await stillHold(ctx, user_id, relied_on)));
}

/** The introspection response for a token that an application has for itself. Times are in seconds since 1970. */
interface OwnToken {
  active: true;
  client_id: string;
  exp: number;
  iat: number;
  iss: string;
  scope?: string;
  token_type: 'Bearer';
}

export interface OwnTokenQuestion {
  clientId: string;
  clientSecret: string;
  token: string;
}

/**
 * Returns the introspection of an active token that an application got with its own credentials. No user consented to
 * such a token, so its row contains everything. Undefined for all other tokens, including inactive ones: the provider
 * library, which knows every rule, decides on those. The two reads run in parallel.
 */
export async function introspectOwnToken(
  ctx: Pick<Context, 'clock' | 'db' | 'settings'>,
  { clientId, clientSecret, token }: OwnTokenQuestion,
): Promise<OwnToken | undefined> {
  const [client, row] = await Promise.all([findOauthClient(ctx, clientId), findAccessToken(ctx.db, hashSecret(token))]);
  if (client === undefined || client.isPublic || client.secretHash === undefined) return undefined;
  if (client.settings.token_endpoint_auth_method === 'private_key_jwt') return undefined;
  if (!isClientSecret(client.secretHash, clientSecret)) return undefined;
  if (row === undefined || row.client_id !== client.id || !isPlain(row)) return undefined;
  const exp = toSeconds(row.expires_at);
  if (row.revoked_at !== null || exp <= toSeconds(ctx.clock())) return undefined;
  return {
    active: true,
    client_id: client.id,
    exp,
    iat: toSeconds(row.issued_at),
    iss: ctx.settings.baseUrl,
    ...(row.scopes.length > 0 && { scope: row.scopes.join(' ') }),
    token_type: 'Bearer',
  };
}

/** No user, no consent, no claims it relies on, and nothing that only the provider could interpret. */
function isPlain({ user_id, grant_id, relied_on, details }: AccessTokenRow): boolean {
  return user_id === null && grant_id === null && relied_on === null && Object.keys(details ?? {}).length === 0;
}

function toSeconds(time: Date): number {
  return Math.floor(time.getTime() / 1000);
}
