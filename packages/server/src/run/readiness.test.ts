import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openBus, openDatabase, sql, systemRandom, tenantUrlOf } from '@latchkey/db';
import { createTestDatabase } from '@latchkey/db/testing';
import { createLog } from '../log.ts';
import { watchReadiness } from './readiness.ts';

const log = createLog({ logLevel: 'error', debugSettings: '' }, { write: () => undefined });
const patience = { connectTimeoutMs: 120_000, statementTimeoutMs: 120_000 };

/** A process's connections to its own test database; the bus may listen elsewhere. */
async function openWorld({ heardAt }: { heardAt?: string } = {}) {
  const database = await createTestDatabase({ migrate: true, name: 'readiness' });
  const db = openDatabase({ url: database.url, tenantUrl: tenantUrlOf(database.url), log, ...patience });
  const bus = openBus({ url: heardAt ?? database.url, log });
  await bus.ready();
  return {
    db,
    bus,
    isReady: watchReadiness({ db, bus, random: systemRandom }),
    [Symbol.asyncDispose]: async () => {
      await bus.close();
      await db.close();
      await database.drop();
    },
  };
}

describe('readiness', () => {
  test('is true when a tenant’s transaction, the queue and the bus work', async () => {
    await using world = await openWorld();
    assert.deepEqual(await Promise.all([world.isReady(), world.isReady()]), [true, true]);
    assert.equal(await world.isReady(), true, 'a finished check is not reused for the next one');
    const { rows } = await world.db.pool.query('select from jobs');
    assert.equal(rows.length, 0, 'the check leaves nothing behind');
  });

  test('is false when the bus receives nothing, though the database responds', async () => {
    const elsewhere = await createTestDatabase({ migrate: true, name: 'readiness-bus' });
    await using world = await openWorld({ heardAt: elsewhere.url });
    assert.equal(await world.isReady(), false);
    await elsewhere.drop();
  });

  const faults = {
    'tenants are not known': 'update tenant_login_key set inner_pad = outer_pad',
    'jobs cannot be added': 'revoke execute on function enqueue_jobs from public, latchkey_tenant',
    'a migration is missing': `delete from migrations where name = (select max(name) from migrations)`,
  };
  for (const [fault, statement] of Object.entries(faults))
    test(`is false when ${fault}`, async () => {
      await using world = await openWorld();
      assert.equal(await world.isReady(), true);
      await sql.raw(statement).execute(world.db.system);
      assert.equal(await world.isReady(), false);
    });

  test('is false when the database takes no writes', async () => {
    await using world = await openWorld();
    const { rows } = await world.db.pool.query<{ name: string }>('select current_database() as name');
    await world.db.pool.query(`alter database ${rows[0]?.name} set default_transaction_read_only = on`);
    await using reader = {
      ...openDatabase({
        url: String(world.db.pool.options.connectionString),
        tenantUrl: tenantUrlOf(String(world.db.pool.options.connectionString)),
        log,
        ...patience,
      }),
      [Symbol.asyncDispose]: () => reader.close(),
    };
    const isReady = watchReadiness({ db: reader, bus: world.bus, random: systemRandom });
    assert.equal(await isReady(), false);
  });
});
