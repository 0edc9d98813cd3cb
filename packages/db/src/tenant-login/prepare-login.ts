import { createHash } from 'node:crypto';
import type pg from 'pg';
import { connectDirectly, connectOnce } from '../connection/connect-once.ts';
import { withLogin } from '../connection/database-url.ts';
import { limitLogin } from '../connection/pooled.ts';
import { usualStatementTimeoutMs } from '../database.ts';
import { migrationLock } from '../migrate.ts';
import { admitTenants, tenantRole, tenantUrlOf } from './admit-tenants.ts';

const variable = 'LATCHKEY_TENANT_DATABASE_URL';

export interface DatabaseAddresses {
  /** The database with its owner's login, perhaps through a pooler. */
  url: string;
  /** The same without the pooler. Defaults to `url`. */
  directUrl?: string;
  /** The same for the tenant login, if the operator has set it. */
  tenantUrl?: string;
}

/**
 * Finds the login for tenants' work, grants its rights and returns its URL: the configured one; one with the default
 * name, where roles need no password; or one that is created here, if this role may create roles.
 */
export async function prepareTenantLogin({ url, directUrl = url, tenantUrl }: DatabaseAddresses): Promise<string> {
  const client = await connectDirectly(directUrl, directVariable(directUrl !== url));
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    if (directUrl !== url) {
      await assertSame(client, url);
      // Connections through a pooler cannot set it themselves.
      await limitLogin(client, usualStatementTimeoutMs);
    }
    // A pooler may only know the logins in its own settings.
    const ways = [...new Set([url, directUrl])];
    const found = tenantUrl ?? (await firstOpen(ways.map(tenantUrlOf))) ?? (await makeLogin(client, ways));
    await admitTenants(client, await nameOf(found));
    return found;
  } finally {
    await client.end();
  }
}

/** Returns the setting of the direct URL. */
export function directVariable(isApart: boolean): string {
  return isApart ? 'LATCHKEY_DIRECT_DATABASE_URL' : 'DATABASE_URL';
}

/** Every database generates its own proof key, which identifies it. */
async function assertSame(client: pg.Client, url: string): Promise<void> {
  const keyOf = async (request: pg.Client) =>
    (await request.query<{ key: string }>(`select md5(inner_pad) as key from public.tenant_login_key`)).rows[0]?.key;
  const pooled = await connectOnce(url, 'DATABASE_URL');
  try {
    const key = await keyOf(pooled).catch(() => undefined);
    if (key === undefined || key !== (await keyOf(client)))
      throw new Error(
        'DATABASE_URL and LATCHKEY_DIRECT_DATABASE_URL must point to the same database with the same login.',
      );
  } finally {
    await pooled.end();
  }
}

async function canConnect(url: string): Promise<boolean> {
  try {
    await (await connectOnce(url, variable)).end();
    return true;
  } catch {
    return false;
  }
}

/** Returns the login's name in the database. Throws if it could see more than a tenant may. */
async function nameOf(url: string): Promise<string> {
  const client = await connectOnce(url, variable);
  try {
    const { rows } = await client.query<{ self: string; isHere: boolean; isTooStrong: boolean | null }>(
      `select rolname::text as self, relowner is not null as "isHere",
              rolsuper or rolbypassrls or rolcreaterole or rolreplication or pg_has_role(pg_roles.oid, relowner, 'member')
                as "isTooStrong"
       from pg_roles left join pg_class on pg_class.oid = to_regclass('public.tenant_login_key')
       where rolname = current_user`,
    );
    const [login] = rows;
    if (login === undefined || !login.isHere)
      throw new Error(`${variable} points to a different database than DATABASE_URL. Both must point to the same one.`);
    if (login.isTooStrong)
      throw new Error(
        `The login ${login.self} of ${variable} sees the rows of every tenant, because it is a superuser, can bypass row-level security, can create roles, or owns the tables. ${advice}`,
      );
    return login.self;
  } finally {
    await client.end();
  }
}

const advice = `Create a separate, unprivileged tenant login. As a superuser, run: create role ${tenantRole} login password '…' nosuperuser nocreatedb nocreaterole; and set ${variable} to the same database under that login.`;

/**
 * Creates a login whose password every process can derive from the proof key, so that it need not be stored. Roles are
 * shared by all databases of a server, so the database's name is part of the role's name.
 */
async function makeLogin(client: pg.Client, ways: readonly string[]): Promise<string> {
  const { rows } = await client.query<{ role: string; exists: boolean; mayMake: boolean; pad: Buffer }>(
    `select role, exists (select from pg_roles where rolname = role) as exists, rolsuper or rolcreaterole as "mayMake",
            inner_pad || outer_pad as pad
     from pg_roles, tenant_login_key, left($1 || '_' || current_database(), 63) as role where rolname = current_user`,
    [tenantRole],
  );
  const [facts] = rows;
  if (facts === undefined) throw new Error('The database is missing its tenant login key; restore it from a backup.');
  const secret = createHash('sha256').update(facts.pad).update(`password/${facts.role}`).digest('hex');
  const made = ways.map((way) => withLogin(way, facts.role, secret));
  const open = facts.exists ? await firstOpen(made) : undefined;
  if (open !== undefined) return open;
  if (!facts.mayMake) throw new Error(`This database has no tenant login. ${advice}`);
  const role = client.escapeIdentifier(facts.role);
  const password = client.escapeLiteral(secret);
  await client.query(
    facts.exists
      ? `alter role ${role} login password ${password}`
      : `create role ${role} login password ${password} nosuperuser nocreatedb nocreaterole`,
  );
  const [first = ''] = made;
  return made.length === 1 ? first : ((await firstOpen(made)) ?? first);
}

async function firstOpen(urls: readonly string[]): Promise<string | undefined> {
  for (const url of urls) if (await canConnect(url)) return url;
  return undefined;
}
