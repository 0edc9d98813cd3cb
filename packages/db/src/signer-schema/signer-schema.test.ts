import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { migrate } from '../migrate.ts';
import { tenantUrlOf } from '../tenant-login/index.ts';
import { createTestDatabase, type TestDatabase } from '../testing/index.ts';
import { prepareSignerSchema, signerUrlOf } from './index.ts';

describe('the schema of the signer', () => {
  let database: TestDatabase;
  let platform: pg.Client;
  let signer: pg.Client;

  async function connect(url: string): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    return client;
  }

  before(async () => {
    database = await createTestDatabase({ name: 'signer-schema' });
    await assert.rejects(prepareSignerSchema(signerUrlOf(database.url)), /Run first: latchkey migrate/);
    await migrate(database.url);
    await Promise.all([1, 2, 3].map(() => prepareSignerSchema(signerUrlOf(database.url))));
    platform = await connect(database.url);
    signer = await connect(signerUrlOf(database.url));
    await signer.query(
      `insert into keys values ('DIS#USER#1', 'w1', '0xabc', '0x04', 'v1.k1.wrapped.theSealedKey', now())`,
    );
  });
  after(async () => {
    await platform.end();
    await signer.end();
    await database.drop();
  });

  const isDenied = { code: '42501' };

  test('the platform’s role cannot use the keys, nor become a role that can', async () => {
    for (const statement of [
      'select private_key from signer.keys',
      'select user_id from signer.keys',
      'update signer.keys set address = address',
      'delete from signer.keys',
      'copy signer.keys to stdout',
      'create trigger spy after insert on signer.keys for each row execute function unblock_next_job()',
      'alter table signer.keys disable row level security',
      'alter table signer.keys owner to latchkey',
      'grant select on signer.keys to latchkey',
      'create view signer.peek as select 1',
      'grant latchkey_signer to latchkey',
      'set role latchkey_signer',
      'select * from signer.master_key_check',
      `update signer.requests set state = 'pending'`,
      `insert into signer.signatures select * from signer.signatures`,
      'delete from signer.signatures',
    ])
      await assert.rejects(platform.query(statement), isDenied, statement);
  });

  test('nothing the platform’s role can read contains a key', async () => {
    const { rows } = await platform.query<{ name: string; isReadable: boolean }>(
      `select format('%I.%I', schemaname, tablename) as name,
              has_schema_privilege(schemaname, 'usage')
                and has_table_privilege(format('%I.%I', schemaname, tablename), 'select') as "isReadable"
       from pg_tables where schemaname in ('public', 'signer') order by 1`,
    );
    let dump = '';
    for (const { name, isReadable } of rows) {
      if (isReadable) dump += JSON.stringify((await platform.query(`select * from ${name}`)).rows);
    }
    assert.deepEqual(
      rows.filter(({ isReadable }) => !isReadable).map(({ name }) => name),
      ['signer.keys', 'signer.master_key_check', 'signer.migrations'],
    );
    assert.match(dump, /0003-identity/);
    assert.doesNotMatch(dump, /theSealedKey/);
  });

  test('the signer’s role cannot use the platform’s tables', async () => {
    for (const table of ['hosted_wallets', 'registrar_keys', 'signing_keys', 'access_tokens', 'migrations'])
      await assert.rejects(signer.query(`select * from public.${table}`), isDenied, table);
  });

  test('the platform requests and withdraws for all users, and the tenant login can do nothing here', async () => {
    const insert = `insert into signer.requests (id, user_id, kind, wallet_id, created_at, expires_at)
       values ($1, $2, 'make-key', 'w', now(), now())`;
    await platform.query(insert, ['a'.repeat(21), 'DIS#USER#1']);
    await platform.query(insert, ['b'.repeat(21), 'DIS#USER#2']);
    assert.equal((await platform.query('delete from signer.requests')).rowCount, 2);
    const tenant = await connect(tenantUrlOf(database.url));
    try {
      for (const table of ['keys', 'requests', 'signatures', 'master_key_check'])
        await assert.rejects(tenant.query(`select * from signer.${table}`), isDenied, table);
      await assert.rejects(tenant.query(`select signer.forget('DIS#USER#1')`), isDenied);
    } finally {
      await tenant.end();
    }
  });

  test('names resolve in the signer’s and the system’s schema alone', async () => {
    const { rows } = await signer.query<{ path: string }>(`select current_setting('search_path') as path`);
    assert.deepEqual(rows, [{ path: 'signer' }]);
  });

  test('erasing a user leaves no data with the signer', async () => {
    await platform.query(`select signer.forget('DIS#USER#1')`);
    assert.equal((await signer.query('select from keys union all select from requests')).rowCount, 0);
  });

  test('a signer with the platform’s own role is refused, and a role that may become the signer’s is reported', async () => {
    await assert.rejects(prepareSignerSchema(database.url), /must not use the role of the servers and workers/);
    assert.equal((await prepareSignerSchema(signerUrlOf(database.url))).isExposed, false);
    const admin = await connect(database.adminUrl);
    try {
      await admin.query('grant latchkey_signer to latchkey with inherit false, set false');
      assert.equal((await prepareSignerSchema(signerUrlOf(database.url))).isExposed, true);
    } finally {
      await admin.query('revoke latchkey_signer from latchkey');
      await admin.end();
    }
  });
});
