import { type Database, hashSecret, oneFor, type Sql, shareReads } from '@latchkey/db';
import type { ClientRef } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { planIdInOrganization } from '../organizations/index.ts';
import type { ClientAppStatus } from './client-app.ts';
import { findApp } from './queries.ts';
import { isApiKeyForm } from './secrets.ts';
import { workingStatuses } from './status.ts';

type Pool = Database['pool'];

/** An active client application, as far as a request needs it. */
export interface FoundClient {
  client: ClientRef;
  status: ClientAppStatus;
  allowedOrigins: string[];
  allowedReferrers: string[];
  allowedIpAddresses: string[];
  organizationId: string | undefined;
  planId: string | undefined;
  /** The key in use has been replaced, and expires soon. */
  isOldKey: boolean;
}

interface FoundRow {
  id: string;
  name: string;
  status: ClientAppStatus;
  allowed_scopes: string[];
  disallowed_scopes: string[];
  allowed_origins: string[];
  allowed_referrers: string[];
  allowed_ip_addresses: string[];
  organization_id: string | null;
  plan_id: string | null;
  is_old_key?: boolean;
  /** The key or id of the lookup. */
  requested: string;
}

const working = workingStatuses.map((status) => `'${status}'`).join(', ');

const columns = `a.id, a.name, a.status, a.allowed_scopes, a.disallowed_scopes, a.allowed_origins, a.allowed_referrers,
    a.allowed_ip_addresses, a.organization_id, ${planIdInOrganization('a.organization_id')} as plan_id`;
const fromWorking = `from client_apps a where a.status in (${working}) and`;

// Two branches, so that each uses its own index.
const byApiKey = {
  name: 'clients-by-api-key',
  text: `select ${columns}, a.api_key_hash as requested, false as is_old_key
    ${fromWorking} a.api_key_hash = any($1::text[])
    union all
    select ${columns}, a.old_api_key_hash, true
    ${fromWorking} a.old_api_key_hash = any($1::text[]) and a.old_api_key_ends_at > $2`,
};
const byId = {
  name: 'clients-by-id',
  text: `select ${columns}, a.id as requested ${fromWorking} a.id = any($1::text[])`,
};
// Without the subquery, an id of another organization would stand for an application of this one.
const onlyOfOrganization = {
  name: 'only-client-of-organization',
  text: `select ${columns}, $1 as requested ${fromWorking} a.organization_id = $2
    and not exists (select from client_apps where id = $1) limit 2`,
};
const byOrigin = { name: 'client-origin', text: 'select 1 from client_app_origins where origin = $1 limit 1' };
const appByOrigin = {
  name: 'app-of-origin',
  text: `select a.id, a.name from client_app_origins o join client_apps a on a.id = o.client_id
    where o.origin = $1 order by a.created_at, a.id limit 1`,
};

// Every request with a key or a token runs one of these.
const clientsByKeyHash = oneFor((pool: Pool) =>
  oneFor((clock: Context['clock']) =>
    shareReads(async (hashes) => {
      const { rows } = await pool.query<FoundRow>({ ...byApiKey, values: [hashes, clock()] });
      return indexByRequestedId(rows);
    }),
  ),
);
const clientsById = oneFor((pool: Pool) =>
  shareReads(async (ids) => indexByRequestedId((await pool.query<FoundRow>({ ...byId, values: [ids] })).rows)),
);

/** Finds the active application of an API key. */
export async function findClientByApiKey(
  { db, clock }: Pick<Context, 'clock' | 'db'>,
  key: string,
): Promise<FoundClient | undefined> {
  if (!isApiKeyForm(key)) return undefined;
  return clientsByKeyHash(db.pool)(clock)(hashSecret(key));
}

/** Finds the active application that a bearer token was issued to. */
export async function findClientRef(pool: Pool, clientId: string): Promise<FoundClient | undefined> {
  return clientsById(pool)(clientId);
}

/**
 * Finds the active application of an organization that its mini-app means by a client id. Code that was written for another server names an
 * application of that one: an id that nobody has here stands for the organization's only application.
 */
export async function findClientOfOrganization(
  pool: Pool,
  organizationId: string,
  clientId: string,
): Promise<FoundClient | undefined> {
  const named = await findClientRef(pool, clientId);
  if (named !== undefined) return named.organizationId === organizationId ? named : undefined;
  const { rows } = await pool.query<FoundRow>({ ...onlyOfOrganization, values: [clientId, organizationId] });
  const [only] = rows;
  return only === undefined || rows.length > 1 ? undefined : toFound(only);
}

/** Whether an active application lists this origin. */
export async function isKnownOrigin(pool: Pool, origin: string): Promise<boolean> {
  const { rows } = await pool.query({ ...byOrigin, values: [origin] });
  return rows.length > 0;
}

/** An application, as named in a text that users sign. */
export interface AskingApp {
  id: string;
  name: string;
}

/** Finds the active application that lists this origin; the oldest, if several do. */
export async function findAppOfOrigin(pool: Pool, origin: string): Promise<AskingApp | undefined> {
  return (await pool.query<AskingApp>({ ...appByOrigin, values: [origin] })).rows[0];
}

/** Returns the names of applications of any owner: users see the names of those they authorized. */
export async function namesOfApps(
  sql: Sql,
  ids: readonly string[],
): Promise<Map<string, { name: string; url: string | null }>> {
  if (ids.length === 0) return new Map();
  const rows = await sql
    .selectFrom('client_apps')
    .select(['id', 'name', 'url'])
    .where('id', '=', (eb) => eb.fn.any(eb.val([...ids])))
    .execute();
  return new Map(rows.map(({ id, name, url }) => [id, { name, url }]));
}

/** The URLs to which a browser may be redirected on behalf of an application. */
export interface RedirectTargets {
  redirectUris: string[];
  allowedOrigins: string[];
}

/** Finds the allowed redirect targets of an active application; undefined if it does not exist or is not active. */
export async function findRedirectTargets(
  ctx: Pick<Context, 'db'>,
  clientId: string,
): Promise<RedirectTargets | undefined> {
  const app = await findApp(ctx.db.system, clientId);
  if (app === undefined || !workingStatuses.includes(app.status)) return undefined;
  return { redirectUris: app.redirect_uris, allowedOrigins: app.allowed_origins };
}

function indexByRequestedId(rows: readonly FoundRow[]): Map<string, FoundClient> {
  return new Map(rows.map((row) => [row.requested, toFound(row)]));
}

function toFound(row: FoundRow): FoundClient {
  return {
    client: {
      id: row.id,
      name: row.name,
      allowedScopes: row.allowed_scopes,
      disallowedScopes: row.disallowed_scopes,
    },
    status: row.status,
    allowedOrigins: row.allowed_origins,
    allowedReferrers: row.allowed_referrers,
    allowedIpAddresses: row.allowed_ip_addresses,
    organizationId: row.organization_id ?? undefined,
    planId: row.plan_id ?? undefined,
    isOldKey: row.is_old_key ?? false,
  };
}
