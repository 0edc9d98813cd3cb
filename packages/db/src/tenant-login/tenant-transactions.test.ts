import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { type Database, openDatabase, type Tx } from '../database.ts';
import { migrate } from '../migrate.ts';
import { listeningLog } from '../queue/test-kit.ts';
import { createTestDatabase, type TestDatabase } from '../testing/index.ts';
import { tenantUrlOf } from './index.ts';

describe('a tenant’s transaction', () => {
  let database: TestDatabase;
  let db: Database;

  before(async () => {
    database = await createTestDatabase({ migrate, name: 'tenant-tx' });
    // One connection, so that leftovers of one transaction affect the next.
    db = openDatabase({
      url: database.url,
      tenantUrl: tenantUrlOf(database.url),
      log: listeningLog(),
      maxConnections: 2,
      connectTimeoutMs: 120_000,
    });
  });
  after(async () => {
    await db.close();
    await database.drop();
  });

  const as = <Result>(owner: string, work: (tx: Tx) => Promise<Result>) => db.transaction({ owner }, work);
  const add = (tx: Tx, owner: string, letter: string) =>
    sql`insert into slugs values (${letter.repeat(64)}, ${owner}, 'v1.k.a.b', now(), now())`.execute(tx);
  const ownersIn = async (tx: Tx) =>
    (await sql<{ owner_id: string }>`select distinct owner_id from slugs`.execute(tx)).rows.map((row) => row.owner_id);

  test('commits its writes, and returns the callback’s result', async () => {
    const { numAffectedRows } = await as('alice', (tx) => add(tx, 'alice', 'a'));
    assert.equal(numAffectedRows, 1n);
    assert.deepEqual(await as('alice', ownersIn), ['alice']);
  });

  test('accepts concurrent statements', async () => {
    const seen = await as('carol', async (tx) => {
      await Promise.all(['b', 'c', 'd'].map((letter) => add(tx, 'carol', letter)));
      return sql<{ count: number }>`select count(*)::int as count from slugs`.execute(tx);
    });
    assert.deepEqual(seen.rows, [{ count: 3 }]);
  });

  test('rolls back when the callback fails, and throws its error', async () => {
    const failed = as('dave', async (tx) => {
      await add(tx, 'dave', 'e');
      throw new Error('the work failed');
    });
    await assert.rejects(failed, /^Error: the work failed$/);
    assert.deepEqual(await as('dave', ownersIn), []);
  });

  test('fails when a statement failed and the callback ignored it', async () => {
    const swallowed = as('erin', async (tx) => {
      await add(tx, 'erin', 'f');
      await sql`select 1 / 0`.execute(tx).catch(() => undefined);
    });
    await assert.rejects(swallowed, { name: 'AbortedTransactionError' });
    assert.deepEqual(await as('erin', ownersIn), []);
  });

  test('accepts no statement once it has ended, so that none reaches the next tenant', async () => {
    const kept = await as('alice', async (tx) => ({ tx }));
    await assert.rejects(add(kept.tx, 'alice', '0'), /already ended/);
    let failed: Tx | undefined;
    const rejected = as('alice', async (tx) => {
      failed = tx;
      throw new Error('the work failed');
    });
    await assert.rejects(rejected);
    assert.ok(failed);
    await assert.rejects(ownersIn(failed), /already ended/);
  });

  test('supports owner names with quotes, backslashes or other letters', async () => {
    for (const owner of [`o'neil`, `back\\slash`, `'; reset all; --`, `\\'; commit; --`, '$app/ünï 🗝'])
      assert.deepEqual(
        await as(owner, async (tx) => (await sql<{ is: string }>`select current_tenant() as is`.execute(tx)).rows),
        [{ is: owner }],
      );
    await assert.rejects(as('alice\0bob', ownersIn), /NUL/);
    assert.deepEqual(await as('alice', ownersIn), ['alice'], 'the connection works on');
  });
});
