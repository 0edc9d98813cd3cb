import type pg from 'pg';
import { withLogin } from '../connection/database-url.ts';

/** The default login for tenants' work. */
export const tenantRole = 'latchkey_tenant';

/** Tables without tenants that every tenant may read, each with the reason. */
export const openTables: Readonly<Record<string, string>> = {
  plans: 'Subscription plans and prices are public.',
  mini_app_manifests: 'Mini-app metadata is public.',
};

const neededSequences = ['reconcile_queue_versions'];
const neededFunctions = [
  'tenant_challenge()',
  'current_tenant()',
  'administered()',
  'joined()',
  'enqueue_jobs(text, text)',
  'copy_origins_of(text)',
];

/**
 * Grants the tenant login the rights it needs, and no more: on tables with row security the policies decide, open
 * tables can be read, and it has no access to all others. A missing role is left to the operator.
 */
export async function admitTenants(client: pg.Client, role: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(
    `with me as (select oid, rolname from pg_roles where rolname = $1),
     here as (select oid, nspname, nspowner from pg_namespace where nspname = current_schema()),
     wanted (statement, is_missing) as (
       select format('grant connect on database %I to %I', datname, rolname),
         pg_has_role(datdba, 'usage') and not has_database_privilege(me.oid, pg_database.oid, 'connect')
       from pg_database, me where datname = current_database()
       union all
       select format('grant usage on schema %I to %I', nspname, rolname),
         pg_has_role(nspowner, 'usage') and not has_schema_privilege(me.oid, here.oid, 'usage')
       from here, me
       union all
       select format('grant select, insert, update, delete on %I.%I to %I', nspname, relname, rolname),
         not (has_table_privilege(me.oid, c.oid, 'select') and has_table_privilege(me.oid, c.oid, 'insert')
           and has_table_privilege(me.oid, c.oid, 'update') and has_table_privilege(me.oid, c.oid, 'delete'))
       from pg_class c join here on here.oid = relnamespace, me
       where relkind in ('r', 'p') and relrowsecurity and exists (select from pg_policy where polrelid = c.oid)
       union all
       select format('grant select on %I.%I to %I', nspname, relname, rolname),
         not has_table_privilege(me.oid, c.oid, 'select')
       from pg_class c join here on here.oid = relnamespace, me
       where relkind = 'r' and relname = any ($2)
       union all
       select format('grant usage on sequence %I.%I to %I', nspname, relname, rolname),
         not has_sequence_privilege(me.oid, c.oid, 'usage')
       from pg_class c join here on here.oid = relnamespace, me
       where relkind = 'S' and relname = any ($3)
       union all
       select format('grant execute on function %s to %I', f::regprocedure, rolname),
         not has_function_privilege(me.oid, f::regprocedure, 'execute')
       from unnest($4::text[]) as f, me
     )
     select statement from wanted where is_missing`,
    [role, Object.keys(openTables), neededSequences, neededFunctions],
  );
  for (const { statement } of rows) await client.query(statement);
}

/** Returns the URL for the tenant login, where roles need no password: on the embedded server. */
export function tenantUrlOf(url: string): string {
  return withLogin(url, tenantRole);
}
