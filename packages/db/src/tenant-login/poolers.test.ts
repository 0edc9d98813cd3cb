import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '@latchkey/test-kit';
import { sql } from 'kysely';
import pg from 'pg';
import { openBus } from '../bus/index.ts';
import { type Database, openDatabase } from '../database.ts';
import { openLeases } from '../leases/index.ts';
import { migrate } from '../migrate.ts';
import { enqueue, startWorker } from '../queue/index.ts';
import { kindOf, listeningLog, patienceMs, patient, seededRandom } from '../queue/test-kit.ts';
import { createTestDatabase } from '../testing/index.ts';
import { startPgBouncer, withoutPgBouncer } from '../testing/pgbouncer.ts';
import { queryOnce } from '../testing/query-once.ts';
import { startTransactionPooler } from '../testing/transaction-pooler.ts';
import { tryDatabase } from '../try-database.ts';
import { prepareTenantLogin, tenantUrlOf } from './index.ts';

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

interface Poolers extends AsyncDisposable {
  url: string;
  tenantUrl: string;
}

const makers: Record<string, { skip?: string | undefined; open(url: string, size: number): Promise<Poolers> }> = {
  'a pooler that gives each transaction another connection': {
    open: async (url, size) => {
      const system = await startTransactionPooler(url, size);
      const tenants = await startTransactionPooler(tenantUrlOf(url), size);
      return {
        url: system.url,
        tenantUrl: tenants.url,
        [Symbol.asyncDispose]: async () => {
          await system[Symbol.asyncDispose]();
          await tenants[Symbol.asyncDispose]();
        },
      };
    },
  },
  'PgBouncer in transaction mode': {
    skip: withoutPgBouncer(),
    open: async (url, size) => {
      const pooler = await startPgBouncer(url, size);
      return {
        url: pooler.through(url),
        tenantUrl: pooler.through(tenantUrlOf(url)),
        [Symbol.asyncDispose]: () => pooler[Symbol.asyncDispose](),
      };
    },
  },
};

for (const [name, { skip, open }] of Object.entries(makers))
  describe(name, { ...(skip !== undefined && { skip }) }, () => {
    test('serves tenants, the system and its jobs together, next to a direct URL for session features', async () => {
      const database = await createTestDatabase({ migrate, name: 'pooler' });
      await using poolers = await open(database.url, 2);
      const log = listeningLog();
      const addresses = { url: poolers.url, directUrl: database.url, tenantUrl: poolers.tenantUrl };
      assert.equal(await prepareTenantLogin(addresses), poolers.tenantUrl);
      const db = openDatabase({ ...addresses, log, maxConnections: 16, ...patient });
      const ran: unknown[] = [];
      const done = kindOf('after', ({ owner }) => void ran.push(owner));
      const worker = startWorker({
        db,
        kinds: [done],
        log,
        random: seededRandom(7),
        makeContext: () => ({}),
        validate: () => undefined,
        patienceMs,
      });
      const leases = [openLeases(db, { log }), openLeases(db, { log })] as const;
      try {
        const owners = Array.from({ length: 40 }, (_, n) => `owner-${n % 7}`);
        const seen = await Promise.all(owners.map((owner, n) => addSlug(db, owner, n.toString(16).padStart(64, '0'))));
        assert.deepEqual(
          seen,
          owners.map((owner) => [owner]),
        );
        // A named statement would be missing on the next connection.
        const named = { name: 'count', text: 'select count(*)::int as kept from slugs where $1', values: [true] };
        const counts = await Promise.all(owners.map(() => db.pool.query<{ kept: number }>(named)));
        assert.ok(counts.every(({ rows }) => rows[0]?.kept === owners.length));
        await until('the jobs have run', () => ran.length === owners.length);
        assert.ok(await leases[0].take('one'));
        assert.equal(await leases[1].take('one'), undefined);
        await tryDatabase(db);
        assert.deepEqual(log.lines, []);
      } finally {
        await worker.stop(0);
        await Promise.all(leases.map((held) => held.close()));
        await db.close();
        await database.drop();
      }
    });

    test('is refused with a clear message where a session connection is required', async () => {
      const database = await createTestDatabase({ migrate, name: 'pooler-refused' });
      await using poolers = await open(database.url, 2);
      await assert.rejects(
        migrate(poolers.url),
        /^Error: DATABASE_URL connects through a pooler in transaction mode.* Set LATCHKEY_DIRECT_DATABASE_URL to/,
      );
      await assert.rejects(
        migrate(poolers.url, { variable: 'LATCHKEY_DIRECT_DATABASE_URL' }),
        /LATCHKEY_DIRECT_DATABASE_URL connects through a pooler .* Set LATCHKEY_DIRECT_DATABASE_URL to/,
      );
      const elsewhere = await createTestDatabase({ migrate, name: 'pooler-elsewhere' });
      await queryOnce(elsewhere.url, 'update tenant_login_key set inner_pad = outer_pad');
      await assert.rejects(
        prepareTenantLogin({ url: poolers.url, directUrl: elsewhere.url, tenantUrl: poolers.tenantUrl }),
        /must point to the same database/,
      );
      await elsewhere.drop();
      await database.drop();
    });

    test('would refuse a setting sent when a connection is opened', async () => {
      const database = await createTestDatabase({ name: 'pooler-refusal' });
      await using poolers = await open(database.url, 1);
      const client = new pg.Client({ connectionString: poolers.url, statement_timeout: 1000 });
      await assert.rejects(client.connect(), /unsupported startup parameter/);
      await client.end();
      await database.drop();
    });
  });

describe('a login behind a pooler', () => {
  test('has its time limits from the database, and sets none on a connection', async () => {
    const database = await createTestDatabase({ migrate, name: 'pooler-limits' });
    const limits = () =>
      queryOnce(
        database.url,
        `select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle`,
      );
    assert.deepEqual(await limits(), [{ statement: '0', idle: '0' }]);
    await migrate(database.url, { loginTimeoutMs: 15_000 });
    await migrate(database.url, { loginTimeoutMs: 15_000 });
    assert.deepEqual(await limits(), [{ statement: '15s', idle: '30s' }]);
    await database.drop();
  });

  test('works with a bus that sends no settings when it connects', async () => {
    const database = await createTestDatabase({ migrate, name: 'pooler-session' });
    await using pooler = await startTransactionPooler(database.url, 4);
    const bus = openBus({ url: pooler.url, log: listeningLog() });
    await bus.ready();
    await bus.close();
    await database.drop();
  });
});
