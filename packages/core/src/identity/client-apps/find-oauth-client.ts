import { type Database, equalSecrets, hashSecret, oneFor, shareReads } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import type { OauthSettings } from './client-app.ts';
import { isDocumentAddress } from './client-documents.ts';
import type { ClientAppRow } from './queries.ts';
import { workingStatuses } from './status.ts';

/** An active client application as an OAuth2 client. */
export interface OauthClient {
  id: string;
  name: string;
  url: string | undefined;
  icon: string | undefined;
  /** Applications of the same owner may introspect each other's tokens. */
  ownerId: string;
  organizationId: string | undefined;
  /** A public application cannot keep a secret, and has none. */
  isPublic: boolean;
  secretHash: string | undefined;
  redirectUris: readonly string[];
  grantTypes: readonly string[];
  allowedScopes: readonly string[];
  disallowedScopes: readonly string[];
  allowedOrigins: readonly string[];
  settings: OauthSettings;
}

type FoundRow = Pick<
  ClientAppRow,
  | 'id'
  | 'name'
  | 'url'
  | 'icon'
  | 'created_by_id'
  | 'organization_id'
  | 'client_type'
  | 'client_secret_hash'
  | 'redirect_uris'
  | 'allowed_grant_types'
  | 'allowed_scopes'
  | 'disallowed_scopes'
  | 'allowed_origins'
  | 'oauth_settings'
>;

const byId = {
  name: 'oauth-clients',
  text: `select id, name, url, icon, created_by_id, organization_id, client_type, client_secret_hash, redirect_uris,
      allowed_grant_types, allowed_scopes, disallowed_scopes, allowed_origins,
      oauth_settings
    from client_apps
    where id = any($1::text[]) and (client_type = 'public' or client_secret_hash is not null) and status in (${workingStatuses.map((status) => `'${status}'`).join(', ')})`,
};

// Every OAuth2 request runs this.
const clientsById = oneFor((pool: Database['pool']) =>
  shareReads(async (ids) => {
    const { rows } = await pool.query<FoundRow>({ ...byId, values: [ids] });
    return new Map(rows.map((row) => [row.id, toClient(row)]));
  }),
);

/**
 * Finds the active application with this client id. Excludes applications that only use an API key: users cannot sign
 * in to them.
 */
export async function findOauthClient(ctx: Pick<Context, 'db'>, id: string): Promise<OauthClient | undefined> {
  if (!/^[0-9A-Za-z_-]{1,64}$/.test(id) && !isDocumentAddress(id)) return undefined;
  return clientsById(ctx.db.pool)(id);
}

/** Compares a secret with an application's stored hash. */
export function isClientSecret(secretHash: string, secret: string): boolean {
  return equalSecrets(secretHash, hashSecret(secret));
}

function toClient(row: FoundRow): OauthClient {
  return {
    id: row.id,
    name: row.name,
    url: row.url ?? undefined,
    icon: row.icon ?? undefined,
    ownerId: row.created_by_id,
    organizationId: row.organization_id ?? undefined,
    isPublic: row.client_type === 'public',
    secretHash: row.client_secret_hash ?? undefined,
    redirectUris: row.redirect_uris,
    grantTypes: row.allowed_grant_types,
    allowedScopes: row.allowed_scopes,
    disallowedScopes: row.disallowed_scopes,
    allowedOrigins: row.allowed_origins,
    settings: row.oauth_settings,
  };
}
