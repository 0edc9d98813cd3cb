import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { contextFor, jobKinds, type Services, schedules } from '@latchkey/core';
import { sql, startWorker } from '@latchkey/db';
import { until } from '@latchkey/test-kit';
import { createRateLimiter, type RateLimiter, type RateRule } from '../../src/http/rate-limiter.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';

const sixHoursMs = 6 * 60 * 60_000;

describe('processes whose clocks are six hours fast and slow', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  /** The same platform, in a process whose clock is off by this much. */
  const skewed = (byMs: number): Services => ({ ...server.services, clock: () => new Date(Date.now() + byMs) });

  /** Makes two requests at once, so that both fall into one window however slow the machine is. */
  async function isUsedUp(limiter: RateLimiter, rule: RateRule): Promise<boolean> {
    const verdicts = await Promise.all([limiter.take([rule]), limiter.take([rule])]);
    return verdicts.some(({ allowed }) => !allowed);
  }

  test('together they allow exactly the limit, and each returns a correct Retry-After', async () => {
    const limiters = [-sixHoursMs, 0, sixHoursMs].map((byMs) => createRateLimiter(skewed(byMs)));
    // A window so long that it does not end during the test.
    const rule = { bucket: 'clock-test', points: 50, durationSeconds: 10 ** 9 };
    const before = Date.now() / 1000;
    const verdicts = await Promise.all(
      Array.from({ length: 300 }, (_, n) => (limiters[n % limiters.length] as (typeof limiters)[0]).take([rule])),
    );
    assert.equal(verdicts.filter((verdict) => verdict.allowed).length, rule.points);
    const after = Date.now() / 1000;
    const windowEndsAt = Math.ceil(after / rule.durationSeconds) * rule.durationSeconds;
    // A process counts from when it got the database's response, so it may report an end that is late by as much.
    const latestEnd = windowEndsAt + (after - before);
    for (const { retryAfterSeconds } of verdicts)
      assert.ok(
        retryAfterSeconds >= windowEndsAt - after - 1 && retryAfterSeconds <= latestEnd - before + 1,
        `${retryAfterSeconds} s, asked from ${before} to ${after}`,
      );
  });

  test('a window ends for all of them when it ends for the database', async () => {
    const rule = { bucket: 'clock-test-short', points: 1, durationSeconds: 1 };
    for (const byMs of [-sixHoursMs, sixHoursMs]) {
      const limiter = createRateLimiter(skewed(byMs));
      await until('the limit is used up', () => isUsedUp(limiter, rule));
      await until('the window has ended', async () => (await limiter.take([rule])).allowed);
    }
  });

  test('a clock that is set back does not extend an exhausted window', async () => {
    const rule = { bucket: 'clock-test-back', points: 1, durationSeconds: 1 };
    let byMs = 0;
    const limiter = createRateLimiter({ ...server.services, clock: () => new Date(Date.now() + byMs) });
    await until('the limit is used up', () => isUsedUp(limiter, rule));
    byMs = -sixHoursMs;
    await until('the window has ended', async () => (await limiter.take([rule])).allowed);
  });

  test('no schedule runs early, late or twice', async () => {
    const { db } = server.services;
    const isWritten = async () =>
      (await sql`select from schedules`.execute(db.system)).rows.length === schedules.length;
    await until('the schedules are written', isWritten);
    // Nothing may come due on its own in between.
    await sql`update schedules set next_run_at = date_trunc('second', now()) + interval '3 hours'`.execute(db.system);
    await server.worker.idle();
    await server.worker.stop(1_000);
    const runs: string[] = [];
    const workers = [-sixHoursMs, sixHoursMs].map((byMs) => {
      const services = skewed(byMs);
      return startWorker({
        db,
        kinds: jobKinds,
        schedules,
        random: services.random,
        log: services.log,
        validate: () => undefined,
        makeContext: (kind) => {
          runs.push(kind.name);
          return contextFor(services, { kind: 'system', job: kind.name });
        },
      });
    });
    try {
      await sql`update schedules set next_run_at = date_trunc('second', now()) - interval '1 second'
        where name = 'totp.remove-expired'`.execute(db.system);
      // The round that enqueues due schedules has checked the others too.
      await until('a schedule has run', () => runs.length > 0);
      await workers[0]?.idle();
      assert.deepEqual(runs, ['totp.remove-expired']);
      const { rows } = await sql`select from schedules where next_run_at <= now()`.execute(db.system);
      assert.equal(rows.length, 0);
    } finally {
      await Promise.all(workers.map((worker) => worker.stop(1_000)));
    }
  });
});
