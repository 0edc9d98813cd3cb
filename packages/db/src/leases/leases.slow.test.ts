import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '@latchkey/test-kit';
import type pg from 'pg';
import { type Database, openDatabase } from '../database.ts';
import { migrate } from '../migrate.ts';
import { listeningLog, patient } from '../queue/test-kit.ts';
import { createTestDatabase, type TestDatabase } from '../testing/index.ts';
import { startTransactionPooler } from '../testing/transaction-pooler.ts';
import { fence, LeaseLostError, type Leases, openLeases } from './index.ts';

describe('leases', () => {
  const log = listeningLog();
  const children = new Set<ChildProcess>();
  const opened: Leases[] = [];
  let database: TestDatabase;
  let db: Database;
  before(async () => {
    database = await createTestDatabase({ migrate, name: 'leases' });
    db = openDatabase({ url: database.url, log, ...patient });
    await db.pool.query(`
      create table ledger (id bigint generated always as identity, owner text, token bigint);
      create table losses (owner text, token bigint)`);
  });
  after(async () => {
    for (const child of children) await kill(child);
    await Promise.all(opened.map((leases) => leases.close()));
    await db.close();
    await database.drop();
  });

  // Long enough for a busy machine, in tests that do not wait for the end of a lease.
  const longMs = 3_600_000;
  function open(owner: string, ttlMs = longMs, at: Pick<Database, 'pool'> = db): Leases {
    const leases = openLeases(at, { owner, log, ttlMs });
    opened.push(leases);
    return leases;
  }

  async function kill(child: ChildProcess): Promise<void> {
    children.delete(child);
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  const program = fileURLToPath(new URL('test-holder.ts', import.meta.url));
  function startHolder(owner: string, ttlMs: number): ChildProcess {
    const child = spawn(process.execPath, [program, database.url, owner, String(ttlMs)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    children.add(child);
    return child;
  }

  async function ledger(): Promise<{ owner: string; token: number }[]> {
    return (await db.pool.query<{ owner: string; token: number }>('select owner, token from ledger order by id')).rows;
  }

  test('one of many gets a lease, keeps it, and the next one gets it when it is released', async () => {
    const holders = Array.from({ length: 8 }, (_, n) => open(`many-${n}`));
    const tokens: number[] = [];
    for (let round = 0; round < 20; round++) {
      const taken = await Promise.all(holders.map((holder) => holder.take('shared')));
      const [lease, ...others] = taken.filter((one) => one !== undefined);
      assert.equal(others.length, 0, `one holder in round ${round}`);
      assert.ok(lease);
      const holder = holders[taken.indexOf(lease)];
      assert.equal(await holder?.take('shared'), lease, 'it has it already');
      assert.deepEqual(await holder?.list('shar'), [{ name: 'shared', owner: holder?.owner }]);
      tokens.push(lease.token);
      await holder?.release('shared');
      assert.equal(lease.isHeld(), false);
      assert.equal(lease.lost.aborted, true);
    }
    assert.deepEqual(
      tokens,
      [...new Set(tokens)].toSorted((a, b) => a - b),
      'tokens grow',
    );
  });

  test('closing releases everything, and nothing can be taken afterwards', async () => {
    const [first, second] = [open('closing'), open('waiting')];
    const leases = await Promise.all(['a', 'b', 'c'].map((name) => first.take(`close/${name}`)));
    await first.close();
    assert.ok(leases.every((lease) => lease?.isHeld() === false));
    assert.equal(await first.take('close/a'), undefined);
    assert.deepEqual(await second.list('close/'), []);
    for (const name of ['a', 'b', 'c']) assert.ok(await second.take(`close/${name}`));
  });

  test('closing without a lease, or twice, is fine', async () => {
    const leases = open('idle');
    await leases.close();
    await leases.close();
  });

  test('all leases of a holder are extended for as long as it lives', async () => {
    const holder = open('living', 900);
    const ends = new Map<number, Set<string>>();
    await until('a lease was extended three times', async () => {
      for (const name of ['live/a', 'live/b']) await holder.take(name);
      const { rows } = await db.pool.query<{ token: number; until: string }>(
        "select token, until::text from leases where name like 'live/%'",
      );
      for (const row of rows) ends.set(row.token, (ends.get(row.token) ?? new Set()).add(row.until));
      return [...ends.values()].filter((seen) => seen.size > 3).length >= 2;
    });
  });

  test('a holder that cannot reach the database stops before another takes over', async () => {
    // Through a pooler, which shows that leases need no session connection.
    const pooler = await startTransactionPooler(database.url, 2);
    const cut = openDatabase({ url: pooler.url, log, connectTimeoutMs: 500 });
    try {
      const first = open('cut off', 1_500, cut);
      const second = open('successor', 1_500);
      const lease = await until('the first has the lease', () => first.take('outage'));
      await pooler[Symbol.asyncDispose]();
      const next = await until('the second takes over', () => second.take('outage'));
      assert.equal(lease.isHeld(), false);
      assert.ok(next.token > lease.token);
      await assert.rejects(first.take('outage'));
    } finally {
      await cut.close();
    }
  });

  test('a lease that its holder considers expired is not renewed, and goes to another', async () => {
    let gate: Promise<void> | undefined;
    const pool = new Proxy(db.pool, {
      get: (target, name) =>
        name === 'query'
          ? async (query: pg.QueryConfig) => {
              await gate;
              return target.query(query);
            }
          : Reflect.get(target, name),
    });
    const ttlMs = 3_000;
    const [paused, heir] = [open('paused', ttlMs, { pool }), open('heir', ttlMs)];
    const lease = await until('it has the lease', () => paused.take('paused/work'));
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    await until('it stops by its own clock', () => !lease.isHeld());
    resolve();
    // It survives, and continues with something else.
    const next = await until('another one takes over', async () => {
      await paused.take('paused/other');
      return heir.take('paused/work');
    });
    assert.ok(next.token > lease.token);
  });

  test('a write by an earlier holder is refused, and the current one may write during a renewal', async () => {
    const [first, second] = [open('earlier'), open('later')];
    const old = await first.take('fenced');
    await first.release('fenced');
    const current = await second.take('fenced');
    assert.ok(old && current);
    await assert.rejects(
      db.transaction('system', (tx) => fence(tx, old)),
      LeaseLostError,
    );
    await db.transaction('system', (tx) => fence(tx, current));
  });

  test('a frozen holder is replaced, and writes nothing when it wakes up', async () => {
    const ttlMs = 1_500;
    const frozen = startHolder('frozen', ttlMs);
    await until('the first holder works', async () => (await ledger()).length > 0);
    frozen.kill('SIGSTOP');
    const heir = startHolder('heir', ttlMs);
    await until('the heir works', async () => (await ledger()).some(({ owner }) => owner === 'heir'));
    frozen.kill('SIGCONT');
    await until('the frozen one finds its lease gone', async () => {
      const { rows } = await db.pool.query("select 1 from losses where owner = 'frozen'");
      return rows.length > 0;
    });
    await kill(heir);
    const written = (await ledger()).length;
    await until('the first one takes over from the killed one', async () =>
      (await ledger()).slice(written).some(({ owner }) => owner === 'frozen'),
    );
    await kill(frozen);
    const tokens = (await ledger()).map(({ token }) => token);
    assert.deepEqual(
      tokens,
      tokens.toSorted((a, b) => a - b),
      'no line of an earlier holder follows one of a later holder',
    );
  });
});
