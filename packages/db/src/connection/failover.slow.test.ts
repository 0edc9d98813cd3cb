import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { bound, until, volume } from '@latchkey/test-kit';
import { openBus } from '../bus/index.ts';
import { openDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { enqueue, startWorker } from '../queue/index.ts';
import { kindOf, listeningLog, seededRandom } from '../queue/test-kit.ts';
import { tenantUrlOf } from '../tenant-login/index.ts';
import { withStandby } from '../testing/with-cluster.ts';
import { tryDatabase } from '../try-database.ts';
import { isUnavailable } from '../unavailable.ts';
import { connectOnce } from './connect-once.ts';

const callers = volume(4, 16);
const perPhase = volume(100, 2_000);

test('a standby that is promoted under load', async (t) => {
  await withStandby(migrate, async (pair) => {
    const log = listeningLog();
    await t.test('is not written to before, whatever its position in the URL', async () => {
      const client = await connectOnce(pair.url, 'DATABASE_URL');
      const { rows } = await client.query('select pg_is_in_recovery() as standby');
      assert.deepEqual(rows, [{ standby: false }]);
      await client.end();
      const alone = openDatabase({ url: pair.standby.url, tenantUrl: tenantUrlOf(pair.standby.url), log });
      await assert.rejects(alone.pool.query('select 1'), isUnavailable);
      await assert.rejects(tryDatabase(alone), isUnavailable);
      await alone.close();
    });

    await t.test('causes brief errors, but loses no acknowledged write and crashes no job', async (part) => {
      const db = openDatabase({ url: pair.url, tenantUrl: tenantUrlOf(pair.url), log, maxConnections: 2 * callers });
      const bus = openBus({ url: pair.url, log });
      await bus.ready();
      const gate = Promise.withResolvers<void>();
      const kind = kindOf('note', () => undefined);
      const long = kindOf('long', () => gate.promise);
      const basics = { random: seededRandom(11), makeContext: () => ({}), validate: () => undefined };
      const worker = startWorker({ ...basics, db, log, kinds: [long] });
      let load: ReturnType<typeof startLoad> | undefined;
      try {
        await enqueue(db.system, long, {});
        const stateOfLong = async () =>
          (
            await db.pool
              .query<{ state: string; token: number; crashes: number }>(
                `select state, lease_token as token, crashes from jobs where name = 'long'`,
              )
              .catch(() => undefined)
          )?.rows[0];
        const before = await until('the long job runs', async () => {
          const found = await stateOfLong();
          return found?.state === 'running' && found;
        });

        const writing = startLoad((n) => db.transaction({ owner: `o${n % 5}` }, (tx) => enqueue(tx, kind, { n })));
        load = writing;
        await until('there is load', () => writing.acknowledged.length > perPhase);
        const since = performance.now();
        await pair.failOver();
        const known = writing.acknowledged.length;
        await until('writes are acknowledged again', () => writing.acknowledged.length > known + perPhase);
        await until('everything works', () =>
          tryDatabase(db).then(
            () => true,
            () => false,
          ),
        );
        await bound(part, 'continuing after the failover', performance.now() - since, 10_000);
        await writing.stop();

        const { rows } = await db.pool.query<{ n: number }>(
          `select distinct (payload ->> 'n')::int as n from jobs where name = 'note'`,
        );
        const kept = new Set(rows.map((row) => row.n));
        const lost = writing.acknowledged.filter((n) => !kept.has(n));
        part.diagnostic(
          `${writing.acknowledged.length} acknowledged, ${writing.refused.length} refused, ${lost.length} lost`,
        );
        assert.deepEqual(lost, []);
        assert.ok(writing.refused.length > 0, 'the failover had an effect');
        for (const error of writing.refused) assert.ok(isUnavailable(error), String(error));

        const after = await until('the long job runs again', async () => {
          const found = await stateOfLong();
          return found?.state === 'running' && found.token > before.token && found;
        });
        assert.equal(after.crashes, 0);
        let received = false;
        bus.subscribe('after', () => {
          received = true;
        });
        await until('the bus receives again', async () => {
          await bus.publish(db.system, 'after', {});
          return received;
        });
      } finally {
        await load?.stop();
        gate.resolve();
        await worker.stop(1_000);
        await bus.close();
        await db.close();
      }
    });
  });
});

test('a primary that came back as a standby unnoticed is left for the new one', async () => {
  await withStandby(migrate, async (pair) => {
    const log = listeningLog();
    const db = openDatabase({ url: pair.url, tenantUrl: tenantUrlOf(pair.url), log });
    await tryDatabase(db);
    await pair.failOver();
    await pair.rejoin();
    await until('everything works', () =>
      tryDatabase(db).then(
        () => true,
        () => false,
      ),
    );
    await db.close();
  });
});

/** Writes continuously from several concurrent callers, and records which calls were acknowledged. */
function startLoad(write: (n: number) => Promise<unknown>) {
  const acknowledged: number[] = [];
  const refused: unknown[] = [];
  let isStopped = false;
  let last = 0;
  async function call(): Promise<void> {
    while (!isStopped) {
      last += 1;
      const mine = last;
      try {
        await write(mine);
        acknowledged.push(mine);
      } catch (error) {
        refused.push(error);
        await delay(20);
      }
    }
  }
  const calls = Array.from({ length: callers }, call);
  return {
    acknowledged,
    refused,
    stop: async () => {
      isStopped = true;
      await Promise.all(calls);
    },
  };
}
