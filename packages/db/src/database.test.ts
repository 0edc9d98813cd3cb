import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { until } from '@latchkey/test-kit';
import { sql } from 'kysely';
import pg from 'pg';
import { type Database, openDatabase } from './database.ts';
import { bringForward, migrate, schemaFault } from './migrate.ts';
import { tenantRole, tenantUrlOf } from './tenant-login/index.ts';
import { createTestDatabase } from './testing/index.ts';

describe('src: database', () => {
  const log = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
    for: () => log,
  };
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let db: Database;

  before(async () => {
    database = await createTestDatabase({ migrate });
    const urls = { url: database.url, tenantUrl: tenantUrlOf(database.url) };
    db = openDatabase({ ...urls, log, maxConnections: 8, connectTimeoutMs: 120_000 });
    await sql`create table notes (owner text not null, text text not null)`.execute(db.system);
    await sql`alter table notes enable row level security`.execute(db.system);
    const isTheirs = sql`owner = (select current_tenant())`;
    await sql`create policy tenant on notes using (${isTheirs}) with check (${isTheirs})`.execute(db.system);
    await sql`grant select, insert, update, delete on notes to ${sql.id(tenantRole)}`.execute(db.system);
    await sql`insert into notes values ('alice', 'of alice'), ('bob', 'of bob'), ('*', 'of a star'), ('', 'of nobody')`.execute(
      db.system,
    );
  });

  after(async () => {
    await db.close();
    await database.drop();
  });

  const notesOf = async (owner: string) =>
    (
      await db.transaction({ owner }, (tx) => sql<{ text: string }>`select text from notes order by text`.execute(tx))
    ).rows.map((row) => row.text);

  test('a tenant sees its own rows and no others', async () => {
    assert.deepEqual(await notesOf('alice'), ['of alice']);
    assert.deepEqual(await notesOf('bob'), ['of bob']);
    assert.deepEqual(await notesOf('mallory'), []);
  });

  test('an empty tenant sees nothing', async () => {
    assert.deepEqual(await notesOf(''), []);
  });

  test('no tenant name acts as the system', async () => {
    assert.deepEqual(await notesOf('*'), ['of a star']);
    for (const owner of ['system', 'latchkey', `alice' or true --`, 'alice/tenant/bob'])
      assert.deepEqual(await notesOf(owner), []);
  });

  test('a database that was opened without the tenant login has no tenants', async () => {
    const system = openDatabase({ url: database.url, log });
    await assert.rejects(
      system.transaction({ owner: 'alice' }, async () => undefined),
      /without the tenant login/,
    );
    await system.close();
  });

  test('the system sees every row', async () => {
    const { rows } = await sql`select 1 from notes`.execute(db.system);
    assert.equal(rows.length, 4);
  });

  test('a tenant cannot write a row for another', async () => {
    await assert.rejects(
      db.transaction({ owner: 'alice' }, (tx) => sql`insert into notes values ('bob', 'forged')`.execute(tx)),
      /row-level security/,
    );
    await assert.rejects(
      db.transaction({ owner: 'alice' }, (tx) => sql`update notes set owner = 'bob'`.execute(tx)),
      /row-level security/,
    );
  });

  test('the tenant of a transaction does not stay on its connection', async () => {
    for (let round = 0; round < 20; round++) {
      await notesOf('alice');
      assert.deepEqual(await notesOf('bob'), ['of bob']);
    }
  });

  test('a failed transaction leaves nothing behind', async () => {
    await assert.rejects(
      db.transaction({ owner: 'alice' }, async (tx) => {
        await sql`insert into notes values ('alice', 'half-written')`.execute(tx);
        throw new Error('stop');
      }),
    );
    assert.deepEqual(await notesOf('alice'), ['of alice']);
  });

  test('a plain text is refused by a column for hashes and by one for sealed secrets', async () => {
    const insert = (hash: string) =>
      sql`insert into admin_keys (id, name, key_hash, created_at) values ('x', 'x', ${hash}, now())`.execute(db.system);
    await assert.rejects(insert('my-plain-key'), /hashed_secret/);
    await assert.rejects(sql`insert into master_key_check values (1, 'plain')`.execute(db.system), /sealed_secret/);
  });

  test('ten processes that migrate concurrently apply each migration once', async () => {
    const fresh = await createTestDatabase();
    try {
      const reports = await Promise.all(Array.from({ length: 10 }, () => migrate(fresh.url)));
      assert.equal(reports.filter((report) => report.applied.length > 0).length, 1);
      assert.deepEqual((await migrate(fresh.url)).applied, []);
    } finally {
      await fresh.drop();
    }
  });

  test('a database that a newer version expanded can be used, and one that it contracted is refused', async () => {
    const fresh = await createTestDatabase({ migrate });
    const client = new pg.Client(fresh.url);
    try {
      await client.connect();
      const fault = () => schemaFault((text) => client.query(text));
      assert.equal(await fault(), undefined);
      await client.query("insert into migrations (name, hash) values ('9998-later.sql', 'x')");
      assert.equal(await fault(), undefined);
      assert.deepEqual((await migrate(fresh.url)).applied, []);
      await client.query("insert into migrations (name, hash, needs) values ('9999-drop.contract.sql', 'x', '2.3.4')");
      const contracted =
        /was contracted for Latchkey 2\.3\.4 \(by 9999-drop\.contract\.sql\).* Start 2\.3\.4 or later\. .*latchkey restore/;
      assert.match((await fault())?.says ?? '', contracted);
      assert.equal((await fault())?.isPending, false);
      await assert.rejects(migrate(fresh.url), contracted);
      await client.query("delete from migrations where name like '999%'");
      await client.query("delete from migrations where name = '0017-telegram-gate.sql'");
      assert.match(
        (await fault())?.says ?? '',
        /lacks 1 migration .*0017-telegram-gate\.sql\)\. Run: latchkey migrate$/,
      );
      assert.equal((await fault())?.isPending, true);
      await client.query("update migrations set hash = 'x' where name = '0001-database.sql'");
      await assert.rejects(migrate(fresh.url), /was changed after/);
    } finally {
      await client.end();
      await fresh.drop();
    }
  });

  test('an empty database has no schema yet, and a process may wait for it', async () => {
    const fresh = await createTestDatabase();
    const client = new pg.Client(fresh.url);
    try {
      await client.connect();
      const fault = await schemaFault((text) => client.query(text));
      assert.match(fault?.says ?? '', /^The database lacks \d+ migrations of this version .* Run: latchkey migrate$/);
      assert.equal(fault?.isPending, true);
    } finally {
      await client.end();
      await fresh.drop();
    }
  });

  test('what contracts the schema is applied on command only, and an older version refuses the database from then on', async () => {
    const fresh = await createTestDatabase();
    const client = new pg.Client(fresh.url);
    const folders = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), 'latchkey-migrations-'))));
    const [older = '', newer = ''] = folders;
    const write = (folder: string, name: string, text: string) => writeFile(join(folder, name), text);
    const forward = async (folder: string, contract = false) =>
      (await bringForward(client, pathToFileURL(`${folder}/`), { contract })).applied;
    const columns = async () => {
      const { rows } = await client.query(
        "select attname from pg_attribute where attrelid = 'things'::regclass and attnum > 0 and not attisdropped",
      );
      return rows.map(({ attname }) => attname);
    };
    try {
      await client.connect();
      for (const folder of folders) await write(folder, '0001-a.sql', 'create table things (id int, old text)');
      await write(newer, '0002-b.sql', 'alter table things add column new text');
      await write(newer, '0003-c.contract.sql', '-- needs: 0.3.0\nalter table things drop column old');
      await forward(older);
      assert.deepEqual(await forward(newer), ['0002-b.sql']);
      assert.deepEqual(await columns(), ['id', 'old', 'new']);
      assert.deepEqual(await forward(older), [], 'the older version starts on the expanded schema');
      assert.deepEqual(await forward(newer, true), ['0003-c.contract.sql']);
      assert.deepEqual(await columns(), ['id', 'new']);
      assert.deepEqual(await forward(newer), []);
      await assert.rejects(forward(older), /contracted for Latchkey 0\.3\.0 \(by 0003-c\.contract\.sql\)/);
      await write(newer, '0004-d.contract.sql', 'drop table things');
      await assert.rejects(forward(newer, true), /0004-d\.contract\.sql must begin with .*-- needs: 1\.2\.3/);
    } finally {
      await client.end();
      await fresh.drop();
      for (const folder of folders) await rm(folder, { recursive: true });
    }
  });

  test('every table has a comment that describes it', async () => {
    const fresh = await createTestDatabase({ migrate });
    const client = new pg.Client(fresh.url);
    try {
      await client.connect();
      const { rows } = await client.query(
        `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
           and obj_description(oid, 'pg_class') is null`,
      );
      assert.deepEqual(rows, []);
    } finally {
      await client.end();
      await fresh.drop();
    }
  });

  test('a database of a pre-release version is refused, and nothing in it changes', async () => {
    const fresh = await createTestDatabase();
    const client = new pg.Client(fresh.url);
    try {
      await client.connect();
      await client.query('create table migrations (name text primary key, hash text not null, applied_at timestamptz)');
      await client.query("insert into migrations values ('0001-secrets.sql', 'x')");
      await assert.rejects(migrate(fresh.url), /^Error: The database was made by a pre-release version of Latchkey/);
      const { rows } = await client.query("select tablename from pg_tables where schemaname = 'public'");
      assert.deepEqual(rows, [{ tablename: 'migrations' }]);
    } finally {
      await client.end();
      await fresh.drop();
    }
  });

  test('a migration waits for running work in short steps, lets others pass, and gives up with a clear message', async () => {
    const fresh = await createTestDatabase();
    const clients = [0, 1, 2].map(() => new pg.Client(fresh.url));
    const [migrating, working, reading] = clients;
    const folder = await mkdtemp(join(tmpdir(), 'latchkey-migrations-'));
    const write = (name: string, text: string) => writeFile(join(folder, name), text);
    assert.ok(migrating && working && reading);
    try {
      for (const client of clients) await client.connect();
      const lines: string[] = [];
      const forward = (pausesMs: readonly number[]) =>
        bringForward(migrating, pathToFileURL(`${folder}/`), {
          pace: { lockTimeoutMs: 20, statementTimeoutMs: 120_000, pausesMs },
          progress: (line) => lines.push(line),
        });
      await write('0001-a.sql', 'create table busy (id int)');
      assert.deepEqual((await forward([])).applied, ['0001-a.sql']);
      await write('0002-b.sql', 'alter table busy add column note text');
      await working.query('begin; select from busy');
      await assert.rejects(
        forward([]),
        /^Error: The migration 0002-b\.sql could not get a lock after 1 attempts: a long transaction/,
      );
      const waiting = forward(Array.from({ length: 100_000 }, () => 5));
      await until('it waits', () => lines.filter((line) => line.includes('is waiting for running work')).length > 2);
      await reading.query('select from busy');
      await working.query('commit');
      assert.deepEqual((await waiting).applied, ['0002-b.sql']);
      assert.equal(lines[0], '1/1 0001-a.sql');
    } finally {
      for (const client of clients) await client.end();
      await fresh.drop();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
