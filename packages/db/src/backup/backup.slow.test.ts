import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { migrate } from '../migrate.ts';
import { createTestDatabase, type TestDatabase } from '../testing/index.ts';
import { queryOnce } from '../testing/query-once.ts';
import { type BackupHeader, restoreBackup, writeBackup } from './index.ts';

const keys = [{ id: 'k1', fingerprint: 'f' }];
const quiet = { variable: 'DATABASE_URL', progress: () => undefined };

/** Returns every row of every table, as text, and the values of the sequences. */
async function contentOf(url: string): Promise<unknown> {
  const relations = await queryOnce<{ name: string; kind: string }>(
    url,
    `select relname::text as name, relkind::text as kind from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'S')
       and relname not in ('migrations', 'processes', 'rate_windows', 'database_eras', 'backups', 'drills', 'taken_metrics') order by 1`,
  );
  const all: [string, unknown][] = [];
  for (const { name, kind } of relations) {
    const content = kind === 'S' ? 'last_value, is_called' : 'array_agg(t::text order by t::text)';
    all.push([name, await queryOnce(url, `select ${content} from "${name}" as t`)]);
  }
  return all;
}

/** Returns the structure of the tables: constraints, triggers and whether they are enabled. */
function shapeOf(url: string): Promise<unknown[]> {
  return queryOnce(
    url,
    `select conname::text as name, pg_get_constraintdef(oid) as says from pg_constraint where connamespace = 'public'::regnamespace
     union all select tgname || ' on ' || tgrelid::regclass, tgenabled::text from pg_trigger where not tgisinternal order by 1, 2`,
  );
}

describe('a backup', () => {
  let source: TestDatabase;
  let folder: string;
  let file: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'latchkey-backup-'));
    file = join(folder, 'all.backup');
    source = await createTestDatabase({ migrate, name: 'backup' });
    await queryOnce(
      source.url,
      `insert into slugs select md5(n::text) || md5(n::text), 'o' || n, 'v1.k.a.b', now(), 'infinity' from generate_series(1, 5000) as n;
       insert into jobs (name, payload, key) select 'j', case n when 1 then 'null'::jsonb else '{"tab": "\\t\\\\", "n": 1.10}' end, E'a\\nb\\t\\\\' from generate_series(1, 3) as n;
       update jobs set state = 'ready'`,
    );
    await writeBackup({ ...quiet, url: source.url, path: file, keys, now: new Date(0) });
  });
  after(async () => {
    await source.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const restore = (url: string, path: string, more: Partial<Parameters<typeof restoreBackup>[0]> = {}) =>
    restoreBackup({ ...quiet, url, path, accept: () => undefined, verify: async () => undefined, ...more });

  async function isEmpty(url: string): Promise<boolean> {
    return (await queryOnce(url, `select from pg_class where relnamespace = 'public'::regnamespace`)).length === 0;
  }

  test('restores every row, sequence, constraint and trigger, and is readable by its owner alone', async () => {
    const target = await createTestDatabase({ name: 'restored' });
    let header: BackupHeader | undefined;
    const report = await restore(target.url, file, {
      accept: (found) => {
        header = found;
      },
    });
    assert.deepEqual(header?.keys, keys);
    assert.equal(report.createdAt, new Date(0).toISOString());
    assert.deepEqual(await contentOf(target.url), await contentOf(source.url));
    assert.deepEqual(await shapeOf(target.url), await shapeOf(source.url));
    assert.equal((await migrate(target.url)).applied.length, 0, 'the program starts on it unchanged');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    await assert.rejects(restore(target.url, file), /The database is not empty: it has the table/);
    await target.drop();
  });

  test('is known to the database it was made of, and not to the one it is restored to', async () => {
    assert.deepEqual(
      await queryOnce(source.url, 'select extract(epoch from created_at)::int as at, bytes::int from backups'),
      [{ at: 0, bytes: (await stat(file)).size }],
    );
    const target = await createTestDatabase({ name: 'unbacked' });
    await restore(target.url, file);
    assert.deepEqual(await queryOnce(target.url, 'select from backups'), []);
    await target.drop();
  });

  test('never replaces a file, and leaves none behind when it fails', async () => {
    const again = { ...quiet, url: source.url, keys, now: new Date() };
    await assert.rejects(writeBackup({ ...again, path: file }), /already exists/);
    const empty = await createTestDatabase({ name: 'nothing' });
    const path = join(folder, 'nothing.backup');
    await assert.rejects(writeBackup({ ...again, url: empty.url, path }), /nothing to back up/);
    await assert.rejects(stat(path));
    await assert.rejects(stat(`${path}.partial`));
    await empty.drop();
  });

  test('that is cut short, damaged or something else is refused, and leaves the database empty', async () => {
    const target = await createTestDatabase({ name: 'refused' });
    const whole = await readFile(file);
    const bent = gunzipSync(whole);
    // One letter of one row, so that only the hash reveals it.
    const at = bent.indexOf('\to4999\t');
    bent.write('x', at + 1);
    const wrong: [string, Buffer, RegExp][] = [
      ['all but its end', whole.subarray(0, -20), /truncated/],
      ['a changed letter', gzipSync(bent), /damaged/],
      ['another gzip', gzipSync('hello'), /not a Latchkey backup/],
      ['a text', Buffer.from('hello'), /not a Latchkey backup/],
      ['nothing', Buffer.alloc(0), /not a Latchkey backup/],
    ];
    for (const [name, bytes, message] of wrong) {
      const path = join(folder, 'wrong.backup');
      await writeFile(path, bytes);
      await assert.rejects(restore(target.url, path), message, name);
      assert.ok(await isEmpty(target.url), name);
    }
    await assert.rejects(restore(target.url, join(folder, 'missing')), /File not found/);
    await target.drop();
  });

  test('of a newer Latchkey, or one whose secrets do not open, is refused without a trace', async () => {
    const target = await createTestDatabase({ name: 'newer' });
    const newer = await createTestDatabase({ migrate, name: 'newer-source' });
    await queryOnce(newer.url, `insert into migrations (name, hash) values ('9999-later.sql', 'x')`);
    const path = join(folder, 'newer.backup');
    await writeBackup({ ...quiet, url: newer.url, path, keys, now: new Date() });
    await assert.rejects(restore(target.url, path), /made by a newer Latchkey \(it has 9999-later\.sql\)/);
    const verify = () => Promise.reject(new Error('3 sealed values do not open'));
    await assert.rejects(restore(target.url, file, { verify }), /3 sealed values/);
    assert.ok(await isEmpty(target.url));
    await newer.drop();
    await target.drop();
  });

  test('of a pre-release version is refused without a trace', async () => {
    const target = await createTestDatabase({ name: 'pre-release' });
    const old = await createTestDatabase({ migrate, name: 'pre-release-source' });
    await queryOnce(old.url, `insert into migrations (name, hash) values ('0001-secrets.sql', 'x')`);
    const path = join(folder, 'pre-release.backup');
    await writeBackup({ ...quiet, url: old.url, path, keys, now: new Date() });
    await assert.rejects(restore(target.url, path), /The backup was made by a pre-release version of Latchkey/);
    assert.ok(await isEmpty(target.url));
    await old.drop();
    await target.drop();
  });

  test('whose restore is killed midway leaves the database empty, and can be restored again', async () => {
    const target = await createTestDatabase({ name: 'killed' });
    const kill = `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'latchkey-migrate' and datname = current_database()`;
    const verify = async () => void (await queryOnce(target.adminUrl, kill));
    await assert.rejects(restore(target.url, file, { verify }));
    assert.ok(await isEmpty(target.url));
    await restore(target.url, file);
    assert.deepEqual(await contentOf(target.url), await contentOf(source.url));
    await target.drop();
  });
});
