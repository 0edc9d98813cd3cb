import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { type Database, openDatabase, type Tx } from '../database.ts';
import { migrate } from '../migrate.ts';
import { listeningLog } from '../queue/test-kit.ts';
import { createTestDatabase, type TestDatabase } from '../testing/index.ts';
import { tenantUrlOf } from './index.ts';

describe('SQL injected into a tenant’s transaction', () => {
  let database: TestDatabase;
  let db: Database;

  before(async () => {
    database = await createTestDatabase({ migrate, name: 'injection' });
    // Consecutive transactions share a connection, so that leftovers of one affect the next.
    db = openDatabase({
      url: database.url,
      tenantUrl: tenantUrlOf(database.url),
      log: listeningLog(),
      maxConnections: 2,
      connectTimeoutMs: 120_000,
    });
    await db.pool.query(`
      insert into slugs select repeat(n::text, 64), owner, 'v1.k.a.b', now(), now()
        from (values (1, 'alice'), (2, 'bob'), (3, '*'), (4, '')) as s (n, owner);
      insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks, created_at, updated_at)
        values ('c-bob', 'discord', '1', 'Bob’s', 'active', 'bob', '{}', false, now(), now());
      insert into community_admins values ('c-bob', 'bob', now());
      insert into admin_keys values ('k', 'operator', repeat('a', 64), now());
      insert into access_tokens (token_hash, user_id, scopes, issued_at, expires_at)
        values (repeat('b', 64), 'bob', '{$all}', now(), now());
      insert into jobs (name, payload) values ('secret.job', '{"of": "bob"}')`);
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const asAlice = <Result>(work: (tx: Tx) => Promise<Result>) => db.transaction({ owner: 'alice' }, work);
  const ownersIn = async (tx: Tx) =>
    (await sql<{ owner_id: string }>`select owner_id from slugs order by owner_id`.execute(tx)).rows.map(
      (row) => row.owner_id,
    );

  test('the tenant itself sees its own rows', async () => {
    assert.deepEqual(await asAlice(ownersIn), ['alice']);
  });

  const attempts = [
    `set latchkey.tenant = '*'`,
    `set local latchkey.tenant = 'bob'`,
    `select set_config('latchkey.tenant', '*', false)`,
    `select set_config('latchkey.tenant', repeat('0', 64) || 'bob', true)`,
    `select set_config('latchkey.tenant', left(current_setting('latchkey.tenant'), 64) || 'bob', true)`,
    `select set_config('latchkey.tenant', current_setting('latchkey.tenant') || '/tenant/bob', true)`,
    'reset latchkey.tenant',
    'reset all',
    'set row_security = off',
    'set role latchkey',
    'set role postgres',
    'set role none',
    'reset role',
    'set session authorization latchkey',
    'set session authorization default',
    'reset session authorization',
    'set local session_replication_role = replica',
    'grant latchkey to latchkey_tenant',
    'alter role latchkey_tenant bypassrls',
    'alter table slugs disable row level security',
    'alter table slugs owner to latchkey_tenant',
    'drop policy tenant on slugs',
    'create policy mine on slugs using (true)',
    'create or replace function current_tenant() returns text language sql return $$bob$$',
    'create function evil() returns text language sql as $$ select 1 $$',
    'create schema evil',
    'create table public.slugs_copy as table slugs',
    'create trigger spy after insert on slugs for each row execute function copy_client_app_origins()',
    'commit; begin; select 1',
    `commit; begin; set latchkey.tenant = '*'`,
    'commit and chain',
    'rollback and chain',
    'savepoint s; rollback to savepoint s',
    `create temp table tenant_login_key as select 1 as id, ''::bytea as inner_pad, ''::bytea as outer_pad; set search_path = pg_temp, public`,
    `create temp table community_admins as select 'c-bob' as community_id, 'alice' as user_id; set search_path = pg_temp, public`,
    `prepare p as select 1; discard plans`,
  ];

  for (const attempt of attempts) {
    test(`no other tenant’s row is visible after: ${attempt}`, async () => {
      const seen = await asAlice(async (tx) => {
        await sql`savepoint before`.execute(tx);
        await sql
          .raw(attempt)
          .execute(tx)
          .catch(() => sql`rollback to savepoint before`.execute(tx));
        const owners = await ownersIn(tx).catch(() => []);
        const communities = await sql`select id from public.communities`.execute(tx).catch(() => ({ rows: [] }));
        return { owners, communities: communities.rows };
      }).catch(() => ({ owners: [], communities: [] }));
      assert.deepEqual(seen.communities, []);
      assert.ok(
        seen.owners.every((owner) => owner === 'alice'),
        String(seen.owners),
      );
      const next = await db.transaction({ owner: 'bob' }, ownersIn);
      assert.deepEqual(next, ['bob'], 'the next tenant on the same connection works as before');
    });
  }

  test('the tables of the system cannot be read or written at all', async () => {
    const tables =
      'access_tokens admin_keys jobs signing_keys master_key_check tenant_login_key oauth_grants oauth_artifacts rate_windows schedules processes registrar_keys platform_logins wallet_challenges used_nonces revoked_tokens payment_ledger migrations pg_authid pg_statistic';
    for (const table of tables.split(' ')) {
      for (const statement of [`select * from ${table}`, `delete from ${table}`, `copy ${table} to stdout`])
        await assert.rejects(
          asAlice((tx) => sql.raw(statement).execute(tx)),
          { code: '42501' },
          statement,
        );
    }
    for (const statement of [
      `insert into jobs (name, payload) values ('account.erase', '{}')`,
      `insert into access_tokens (token_hash, user_id, scopes, issued_at, expires_at) values (repeat('c', 64), 'alice', '{$all}', now(), now())`,
      `select pg_read_file('PG_VERSION')`,
      `copy slugs to program 'cat'`,
    ])
      await assert.rejects(
        asAlice((tx) => sql.raw(statement).execute(tx)),
        { code: '42501' },
        statement,
      );
  });

  test('a function with system rights does nothing that the server did not request', async () => {
    const requested = `[{"name": "account.erase", "payload": {"userId": "bob"}}]`;
    for (const proof of ["''", "repeat('0', 64)", `left(current_setting('latchkey.tenant'), 64)`])
      await assert.rejects(
        asAlice((tx) => sql.raw(`select * from enqueue_jobs('${requested}', ${proof})`).execute(tx)),
        { code: '42501' },
      );
    const { rows } = await asAlice((tx) =>
      sql`select administered(), joined(), current_tenant(),
        is_proven('tenant', 'bob', left(current_setting('latchkey.tenant'), 64)) as "isProven"`.execute(tx),
    );
    assert.deepEqual(rows, [{ administered: [], joined: [], current_tenant: 'alice', isProven: false }]);
    assert.equal((await db.pool.query(`select from jobs where name = 'account.erase'`)).rowCount, 0);
  });

  test('no tenant becomes a community’s admin, or approves an application, by writing rows', async () => {
    const app = `insert into client_apps select (jsonb_populate_record(null::client_apps, jsonb_build_object(
        'id', 'mine', 'created_by_id', 'alice', 'name', 'Mine', 'client_type', 'apiKey', 'api_key_hash', repeat('d', 64),
        'redirect_uris', '[]'::jsonb, 'allowed_grant_types', '[]'::jsonb, 'requested_scopes', '[]'::jsonb,
        'allowed_scopes', '[]'::jsonb, 'disallowed_scopes', '[]'::jsonb, 'allowed_origins', '[]'::jsonb,
        'allowed_referrers', '[]'::jsonb, 'oauth_settings', '{}'::jsonb, 'allowed_ip_addresses', '[]'::jsonb, 'actions', '[]'::jsonb,
        'status', 'PENDING', 'created_at', now(), 'updated_at', now()) || '{}')).*`;
    for (const statement of [
      `insert into community_admins values ('c-bob', 'alice', now())`,
      `insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks, created_at, updated_at)
        values ('c-new', 'discord', '2', 'New', 'active', 'alice', '{}', false, now(), now())`,
      `insert into community_members (community_id, user_id, role_ids, seen_at) values ('c-bob', 'alice', '{}', now())`,
      app.replace("|| '{}'", `|| '{"status": "APPROVED"}'`),
      app.replace("|| '{}'", `|| '{"allowed_scopes": ["$all"]}'`),
      app.replace("|| '{}'", `|| '{"created_by_id": "bob"}'`),
    ])
      await assert.rejects(
        asAlice((tx) => sql.raw(statement).execute(tx)),
        { code: '42501' },
        statement,
      );
    await asAlice((tx) => sql.raw(app).execute(tx));
    for (const change of [`status = 'LISTED'`, `allowed_scopes = '{$internal}'`, `created_by_id = 'bob'`])
      await assert.rejects(
        asAlice((tx) => sql.raw(`update client_apps set ${change}`).execute(tx)),
        { code: '42501' },
        change,
      );
    const hidden = 'create temp table client_apps (status text); set search_path = pg_temp, public';
    await assert.rejects(
      asAlice(async (tx) => {
        await sql.raw(hidden).execute(tx);
        await sql`update public.client_apps set status = 'APPROVED'`.execute(tx);
      }),
      { code: '42501' },
    );
    await asAlice((tx) => sql`update client_apps set name = 'Yours'`.execute(tx));
  });

  test('statistics and other sessions’ statements reveal no other rows', async () => {
    await db.pool.query('analyze slugs');
    await asAlice(async (tx) => {
      const { rows: statistics } = await sql`select * from pg_stats where tablename = 'slugs'`.execute(tx);
      assert.deepEqual(statistics, []);
      const { rows } = await sql<{ all: string }>`select string_agg(query, '') as all from pg_stat_activity`.execute(
        tx,
      );
      assert.doesNotMatch(rows[0]?.all ?? '', /bob/);
    });
  });

  test('a proof is useless in another transaction, on this connection or another', async () => {
    const reply = await asAlice(async (tx) => {
      const { rows } = await sql<{ said: string }>`select current_setting('latchkey.tenant') as said`.execute(tx);
      return rows[0]?.said ?? '';
    });
    assert.match(reply, /^[0-9a-f]{64}alice$/);
    const replay = async (tx: Tx) => {
      await sql`select set_config('latchkey.tenant', ${reply}, true)`.execute(tx);
      return ownersIn(tx);
    };
    assert.deepEqual(await db.transaction({ owner: 'bob' }, replay), []);
    const stranger = new pg.Client(tenantUrlOf(database.url));
    await stranger.connect();
    try {
      await stranger.query(`select set_config('latchkey.tenant', $1, false)`, [reply]);
      assert.equal((await stranger.query('select from slugs')).rowCount, 0);
    } finally {
      await stranger.end();
    }
  });

  test('a temporary table left on the connection does not catch the rows of the next tenant', async () => {
    const statement = 'create temp table slugs (like public.slugs); set search_path = pg_temp, public; commit';
    await asAlice((tx) => sql.raw(statement).execute(tx));
    await db.transaction({ owner: 'bob' }, async (tx) => {
      assert.deepEqual(await ownersIn(tx), ['bob']);
    });
    const caught = asAlice((tx) => sql`select from pg_temp.slugs`.execute(tx));
    await assert.rejects(caught, { code: '42P01' });
  });

  test('a connection that breaks midway leaves no tenant behind', async () => {
    const broken = asAlice(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      const admin = new pg.Client(database.adminUrl);
      await admin.connect();
      await admin.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await admin.end();
      return ownersIn(tx);
    });
    await assert.rejects(broken);
    assert.deepEqual(await db.transaction({ owner: 'bob' }, ownersIn), ['bob']);
    assert.deepEqual(await db.transaction({ owner: 'nobody' }, ownersIn), []);
  });
});
