import { createHash } from 'node:crypto';
import type pg from 'pg';
import { connectToMigrate, migrationLock } from '../migrate.ts';
import { admitTenants, tenantRole, tenantUrlOf } from './admit-tenants.ts';

const variable = 'LATCHKEY_TENANT_DATABASE_URL';

/**
 * Finds the login that tenants' work runs under, gives it its rights and answers its address: the one that is configured;
 * one of the usual name, where roles need no password; or one that is made here, where this role may make roles.
 */
export async function prepareTenantLogin({ url, tenantUrl }: { url: string; tenantUrl?: string }): Promise<string> {
  const client = await connectToMigrate(url, 'DATABASE_URL');
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    const found = tenantUrl ?? (await findOpenLogin(url)) ?? (await makeLogin(client, url));
    await admitTenants(client, await nameOf(found));
    return found;
  } finally {
    await client.end();
  }
}

async function findOpenLogin(url: string): Promise<string | undefined> {
  const open = tenantUrlOf(url);
  return (await canConnect(open)) ? open : undefined;
}

async function canConnect(url: string): Promise<boolean> {
  try {
    await (await connectToMigrate(url, variable)).end();
    return true;
  } catch {
    return false;
  }
}

/** The name of the login as the database knows it, unless it could see more than a tenant may. */
async function nameOf(url: string): Promise<string> {
  const client = await connectToMigrate(url, variable);
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
      throw new Error(`${variable} names another database than DATABASE_URL. Both must lead to the same one.`);
    if (login.isTooStrong)
      throw new Error(
        `The login ${login.self} of ${variable} sees the rows of every tenant, since it is a superuser, may bypass row security, may make roles, or owns the tables. ${advice}`,
      );
    return login.self;
  } finally {
    await client.end();
  }
}

const advice = `Give tenants’ work an ordinary login of its own. Run, as a superuser: create role ${tenantRole} login password '…' nosuperuser nocreatedb nocreaterole; and set ${variable} to the same database under that login.`;

/**
 * Makes a login whose password every process can work out from the key of proofs, so that nobody has to keep it. Role
 * names hold for all databases of a server, so the database's is part of it.
 */
async function makeLogin(client: pg.Client, url: string): Promise<string> {
  const { rows } = await client.query<{ role: string; exists: boolean; mayMake: boolean; pad: Buffer }>(
    `select role, exists (select from pg_roles where rolname = role) as exists, rolsuper or rolcreaterole as "mayMake",
            inner_pad || outer_pad as pad
     from pg_roles, tenant_login_key, left($1 || '_' || current_database(), 63) as role where rolname = current_user`,
    [tenantRole],
  );
  const [facts] = rows;
  if (facts === undefined) throw new Error('The database has no key of its tenant login; restore it from a backup.');
  const own = new URL(url);
  own.username = facts.role;
  own.password = createHash('sha256').update(facts.pad).update(`password/${facts.role}`).digest('hex');
  if (facts.exists && (await canConnect(own.href))) return own.href;
  if (!facts.mayMake) throw new Error(`Tenants’ work has no login on this database. ${advice}`);
  const role = client.escapeIdentifier(facts.role);
  const password = client.escapeLiteral(own.password);
  await client.query(
    facts.exists
      ? `alter role ${role} login password ${password}`
      : `create role ${role} login password ${password} nosuperuser nocreatedb nocreaterole`,
  );
  return own.href;
}
