import { hashSecret } from '@latchkey/db';
import type { Actor, ClientRef, PersonCredential } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type FindClient, looksLikeAccessToken, type StillHolds } from './access-token.ts';
import { type AccessTokenRow, findAccessToken } from './queries.ts';
import { refusedCredential } from './refused.ts';

/** The user or client application of a token; throws INVALID_CREDENTIAL when it is not active. */
export async function verifyAccessToken(
  ctx: Pick<Context, 'clock' | 'db'>,
  token: string,
  findClient: FindClient,
  stillHolds?: StillHolds,
): Promise<Actor> {
  const row = looksLikeAccessToken(token) ? await findAccessToken(ctx.db, hashSecret(token)) : undefined;
  if (row === undefined || row.revoked_at !== null || row.expires_at <= ctx.clock())
    throw refusedCredential('access token');
  const vouches = row.relied_on === null || (await stillHolds?.(row.user_id ?? '', row.relied_on));
  if (vouches !== true) throw refusedCredential('access token');
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
