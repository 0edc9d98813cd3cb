import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { migrate } from '../migrate.ts';
import { createTestDatabase, type TestDatabase } from '../testing/index.ts';
import { openTables, tenantRole } from './index.ts';

describe('the rights of the tenant login', () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await createTestDatabase({ migrate, name: 'tenant-rights' });
    client = new pg.Client(database.url);
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  interface Table {
    name: string;
    isSecured: boolean;
    isForced: boolean;
    policies: string[];
    rights: string[];
  }
  const readTables = async () =>
    (
      await client.query<Table>(
        `select relname::text as name, relrowsecurity as "isSecured", relforcerowsecurity as "isForced",
           array(select concat_ws(' ', qual, with_check) from pg_policies where tablename = relname) as policies,
           array(select r from unnest('{select,insert,update,delete,truncate,references,trigger}'::text[]) as r
             where has_table_privilege($1, pg_class.oid, r)
               or r in ('select', 'insert', 'update') and has_any_column_privilege($1, pg_class.oid, r)) as rights
         from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') order by 1`,
        [tenantRole],
      )
    ).rows;

  test('every table it can access has policies, or is open with a reason', async () => {
    const tables = await readTables();
    assert.ok(tables.length > 80);
    for (const { name, isSecured, policies, rights } of tables) {
      if (name in openTables) assert.deepEqual(rights, ['select'], name);
      else if (isSecured && policies.length > 0)
        assert.deepEqual(rights, ['select', 'insert', 'update', 'delete'], name);
      else assert.deepEqual(rights, [], name);
    }
    const names = tables.map(({ name }) => name);
    assert.deepEqual(
      Object.keys(openTables).filter((name) => !names.includes(name)),
      [],
    );
  });

  test('no table forces row security on its owner, the system', async () => {
    const forced = (await readTables()).filter(({ isForced }) => isForced).map(({ name }) => name);
    assert.deepEqual(forced, [], 'leave out `force row level security`');
  });

  test('every policy checks the tenant, once per statement', async () => {
    const once = /\( SELECT (current_tenant|administered|joined)\(\) AS \w+\)/g;
    const withoutTenants = ['evm_tokens'];
    for (const { name, policies } of await readTables())
      for (const policy of withoutTenants.includes(name) ? [] : policies) {
        assert.match(policy, once, name);
        assert.doesNotMatch(policy.replaceAll(once, ''), /current_tenant|administered|joined|current_setting/, name);
      }
  });

  test('a table with a column that names a person or an owner is not open', async () => {
    const { rows } = await client.query<{ name: string }>(
      `select distinct table_name::text as name from information_schema.columns
       where table_schema = 'public' and table_name = any ($1)
         and column_name ~ '(user|owner|account|address|mail|token|key_hash|secret|created_by)'`,
      [Object.keys(openTables)],
    );
    assert.deepEqual(rows, []);
  });

  test('the login owns nothing, may create nothing and is a member of no role', async () => {
    const { rows } = await client.query(
      `select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication,
              (select count(*)::int from pg_class where relowner = r.oid) as tables,
              (select count(*)::int from pg_auth_members where member = r.oid) as roles,
              has_schema_privilege(r.oid, 'public', 'create') as "mayMakeTables",
              has_database_privilege(r.oid, current_database(), 'create') as "mayMakeSchemas"
       from pg_roles r where rolname = $1`,
      [tenantRole],
    );
    const isNone = (value: unknown) => value === false || value === 0;
    assert.deepEqual(
      Object.entries(rows[0] ?? { role: 'missing' }).filter(([, value]) => !isNone(value)),
      [],
    );
  });

  test('functions with system rights are few, and each is bound to its tables', async () => {
    const { rows } = await client.query<{
      name: string;
      isBound: boolean;
      isTrigger: boolean;
      config: string[] | null;
    }>(
      `select proname::text as name, prosqlbody is not null as "isBound", prorettype = 'trigger'::regtype as "isTrigger",
              proconfig as config
       from pg_proc where prosecdef and pronamespace = 'public'::regnamespace order by 1`,
    );
    assert.deepEqual(
      rows.filter(({ isTrigger }) => !isTrigger).map(({ name, isBound }) => ({ name, isBound })),
      ['administered', 'copy_origins_of', 'current_tenant', 'enqueue_jobs', 'is_proven', 'joined'].map((name) => ({
        name,
        isBound: true,
      })),
    );
    // A trigger cannot be bound: it sets the schema of its tables as the search path.
    assert.deepEqual(
      rows.filter(({ isTrigger }) => isTrigger).map(({ name, config }) => ({ name, config })),
      [
        'keep_reddit_token_to_revoke',
        'note_role_connection_changes',
        'note_rule_set_changes',
        'note_status_change',
      ].map((name) => ({ name, config: ['search_path=public, pg_temp'] })),
    );
  });
});
