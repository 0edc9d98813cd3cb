import { hashSecret } from '@latchkey/db';
import { findOauthClient, isClientSecret } from '../../identity/client-apps/index.ts';
import { type AccessTokenRow, findAccessToken } from '../../identity/credentials/index.ts';
import type { Context } from '../../shared/context.ts';

/** The introspection response for a token that an application has for itself. Times are in seconds since 1970. */
export interface OwnToken {
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
