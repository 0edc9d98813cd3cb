import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { openBus } from '../bus/index.ts';
import { type Database, openDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { enqueue } from '../queue/index.ts';
import { kindOf, listeningLog, patient } from '../queue/test-kit.ts';
import { createTestDatabase } from '../testing/index.ts';
import { startTransactionPooler } from '../testing/transaction-pooler.ts';
import { tenantUrlOf } from './index.ts';

const kind = kindOf('after', () => undefined);

async function addSlug(db: Database, owner: string, hash: string): Promise<string[]> {
  return db.transaction({ owner }, async (tx) => {
    const insert = sql`insert into slugs values (${hash}, ${owner}, 'v1.k.a.b', now(), now())`;
    await insert.execute(tx);
    await enqueue(tx, kind, { owner });
    const { rows } = await sql<{ owner_id: string }>`select distinct owner_id from slugs`.execute(tx);
    return rows.map((row) => row.owner_id);
  });
}

describe('a pooler that gives each transaction another connection', () => {
  test('serves many tenants at once, and each sees its own rows', async () => {
    const database = await createTestDatabase({ migrate, name: 'pooler' });
    await using pooler = await startTransactionPooler(tenantUrlOf(database.url), 2);
    const db = openDatabase({
      url: database.url,
      tenantUrl: pooler.url,
      log: listeningLog(),
      maxConnections: 16,
      ...patient,
    });
    try {
      const owners = Array.from({ length: 40 }, (_, n) => `owner-${n % 7}`);
      const seen = await Promise.all(owners.map((owner, n) => addSlug(db, owner, n.toString(16).padStart(64, '0'))));
      assert.deepEqual(
        seen,
        owners.map((owner) => [owner]),
      );
      assert.equal(pooler.served(), owners.length);
      assert.equal((await db.pool.query(`select from jobs where name = 'after'`)).rowCount, owners.length);
    } finally {
      await db.close();
      await database.drop();
    }
  });

  test('takes the connections of the system and of the bus, which bring no settings either', async () => {
    const database = await createTestDatabase({ migrate, name: 'pooler-system' });
    await using pooler = await startTransactionPooler(database.url, 4);
    const log = listeningLog();
    const db = openDatabase({ url: pooler.url, log, ...patient });
    const bus = openBus({ url: pooler.url, log });
    try {
      await bus.ready();
      assert.equal((await db.pool.query('select from slugs')).rowCount, 0);
    } finally {
      await bus.close();
      await db.close();
      await database.drop();
    }
  });

  test('would refuse a setting that travels with the opening of a connection', async () => {
    const database = await createTestDatabase({ name: 'pooler-refusal' });
    await using pooler = await startTransactionPooler(tenantUrlOf(database.url), 1);
    const client = new pg.Client({ connectionString: pooler.url, statement_timeout: 1000 });
    await assert.rejects(client.connect(), /unsupported startup parameter/);
    await client.end();
    await database.drop();
  });
});
