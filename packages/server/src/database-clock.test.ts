import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openDatabase, tenantUrlOf } from '@latchkey/db';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import { until } from '@latchkey/test-kit';
import { agreedStartMs, followDatabaseClock } from './database-clock.ts';
import { createLog } from './log.ts';

const hourMs = 60 * 60_000;
const sixHoursMs = 6 * hourMs;

describe('the clock of a process', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase({ name: 'clock' });
  });
  after(() => database.drop());

  const open = (url = database.url) => {
    const log = createLog({ logLevel: 'error', debugSettings: '' }, { write: () => undefined });
    return openDatabase({ url, tenantUrl: tenantUrlOf(url), log, connectTimeoutMs: 60_000 });
  };
  /** The database and the tests run on one machine, so the true time is known. */
  const wrongByMs = (time: Date) => Math.abs(time.getTime() - Date.now());

  test('follows the database, however wrong the machine’s clock is, and whenever that is set', async () => {
    const db = open();
    let byMs = sixHoursMs;
    const { clock, stop } = await followDatabaseClock(db, { system: () => new Date(Date.now() + byMs) });
    assert.ok(wrongByMs(clock()) < hourMs, `${wrongByMs(clock())}`);
    byMs = -sixHoursMs;
    assert.ok(wrongByMs(clock()) < hourMs, `${wrongByMs(clock())}`);
    stop();
    await db.close();
  });

  test('advances monotonically', async () => {
    const db = open();
    const { clock, stop } = await followDatabaseClock(db);
    const first = clock().getTime();
    await until('time has passed', () => clock().getTime() > first);
    stop();
    await db.close();
  });

  test('is the machine’s until the database responds', async () => {
    const db = open();
    let isAway = true;
    const away = {
      get system() {
        if (isAway) throw new Error('Connection terminated');
        return db.system;
      },
    };
    const system = () => new Date(Date.now() + sixHoursMs);
    const { clock, stop } = await followDatabaseClock(away, { system, everyMs: 10 });
    assert.ok(wrongByMs(clock()) > hourMs, `${wrongByMs(clock())}`);
    isAway = false;
    await until('the database was queried', () => wrongByMs(clock()) < hourMs);
    stop();
    await db.close();
  });
});

test('a reading moves the clock only by the difference', () => {
  const startMs = 1_000_000;
  const saidAt = (ms: number) => startMs + ms;
  const cases: [string, { saidMs: number; before: number; after: number }, number][] = [
    ['a quick answer that agrees', { saidMs: saidAt(5_010), before: 5_000, after: 5_020 }, startMs],
    ['a quick answer an hour off', { saidMs: saidAt(3_605_010), before: 5_000, after: 5_020 }, startMs + 3_600_000],
    ['a slow answer, said as it was asked', { saidMs: saidAt(5_000), before: 5_000, after: 15_000 }, startMs],
    ['a slow answer, said as it came', { saidMs: saidAt(15_000), before: 5_000, after: 15_000 }, startMs],
    ['a slow answer an hour off', { saidMs: saidAt(3_610_000), before: 5_000, after: 15_000 }, startMs + 3_600_000],
  ];
  for (const [name, answer, expected] of cases) assert.equal(agreedStartMs(startMs, answer), expected, name);
});
