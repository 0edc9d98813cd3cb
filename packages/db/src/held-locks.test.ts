import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from './database.ts';
import { openHeldLocks } from './held-locks.ts';
import { migrate } from './migrate.ts';
import { tenantUrlOf } from './tenant-login/index.ts';
import { createTestDatabase } from './testing/index.ts';

const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  for: () => log,
};

async function openTest() {
  const database = await createTestDatabase({ migrate });
  const urls = { url: database.url, tenantUrl: tenantUrlOf(database.url) };
  const db = openDatabase({ ...urls, log, maxConnections: 4, connectTimeoutMs: 120_000 });
  return {
    db,
    [Symbol.asyncDispose]: async () => {
      await db.close();
      await database.drop();
    },
  };
}

test('what one held, the next can take as soon as the first closed', async () => {
  await using t = await openTest();
  for (let round = 0; round < 100; round++) {
    const [first, second] = [openHeldLocks(t.db), openHeldLocks(t.db)];
    assert.equal(await first.take('work'), true);
    assert.equal(await second.take('work'), false);
    assert.equal(await first.take('work'), true, 'it keeps what it holds');
    await first.close();
    assert.equal(await second.take('work'), true, `round ${round}`);
    await second.close();
  }
});

test('locks of a connection that died are free again, and their holder notices', async () => {
  await using t = await openTest();
  const [first, second] = [openHeldLocks(t.db), openHeldLocks(t.db)];
  assert.equal(await first.take('work'), true);
  await t.db.pool.query(
    `select pg_terminate_backend(pid, 60000) from pg_locks
     where locktype = 'advisory' and pid <> pg_backend_pid()
       and database = (select oid from pg_database where datname = current_database())`,
  );
  assert.equal(await second.take('work'), true);
  await assert.rejects(first.take('work'));
  assert.equal(await first.take('work'), false);
  await first.close();
  await second.close();
});

test('closing without a lock, or twice, is fine', async () => {
  await using t = await openTest();
  const locks = openHeldLocks(t.db);
  await locks.close();
  await locks.take('work');
  await locks.close();
  await locks.close();
});
