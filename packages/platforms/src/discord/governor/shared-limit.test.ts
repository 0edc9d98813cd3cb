import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { CallGrant, CallReport } from '@latchkey/core/ports';
import { VirtualTime } from '../testing/virtual-time.ts';
import { Governor, type Priority, routeOf } from './index.ts';
import { guilds, Platform, rolePath } from './test-kit.ts';

describe('the governor with a shared budget', () => {
  const free = { limit: 1000, windowMs: 10_000, hash: 'put' };
  /** Creates several governors, each with the grants of `report`, and one platform that counts them together. */
  function openShared(count: number, report: (n: number, reported: CallReport) => Promise<Partial<CallGrant>>) {
    const time = new VirtualTime();
    const platform = new Platform(time, () => free);
    const none = { places: 0, goodForMs: 6_000, blockedMs: 0, blocks: [] };
    const governors = Array.from({ length: count }, (_, n) => {
      const budget = { report: async (reported: CallReport) => ({ ...none, ...(await report(n, reported)) }) };
      return new Governor({ time, budget });
    });
    const call = (n: number, guild: string | undefined, user: number, priority: Priority = 'write') => {
      const route = routeOf('PUT', rolePath(guild, user));
      const governor = governors[n];
      assert.ok(governor);
      return governor.run({ route, priority }, async () => platform.answer(route.template, route.major));
    };
    return { time, platform, call };
  }

  test('each process stays within its grant, so that together they are never refused', async () => {
    const { time, platform, call } = openShared(2, async (n) => ({ places: n === 0 ? 40 : 9 }));
    const startMs = time.nowMs();
    const calls = Array.from({ length: 400 }, (_, n) => call(n % 2, guilds[n % 2], n));
    await time.play(Promise.all(calls));
    assert.deepEqual([platform.refused, platform.done.length], [0, 400]);
    const tookMs = time.nowMs() - startMs;
    assert.ok(tookMs >= 21_000 && tookMs < 24_000, `200 calls with 9 places take 22 s, not ${tookMs} ms`);
  });

  test('reports how many calls it could make, and returns everything in the end', async () => {
    const notified: CallReport[] = [];
    const { time, call } = openShared(1, async (_n, report) => {
      notified.push(report);
      return { places: Math.min(49, report.wanted) };
    });
    await time.play(Promise.all(Array.from({ length: 120 }, (_, n) => call(0, guilds[0], n))));
    assert.equal(Math.max(...notified.map(({ wanted }) => wanted)), 50);
    await time.play(
      (async () => {
        while (notified.at(-1)?.wanted !== 0) await time.sleepUntil(time.nowMs() + 100);
      })(),
    );
    assert.deepEqual(notified.at(-1), {
      ...{ wanted: 0, urgent: 0, busy: 0, returns: [] },
      ...{ refused: 0, blockedMs: 0, blocks: [] },
    });
  });

  test('returns unusable slots at once, and reports how long their calls still count', async () => {
    const notified: CallReport[] = [];
    const { time, platform, call } = openShared(1, async (_n, report) => {
      notified.push(report);
      return { places: notified.length < 3 ? 20 : 5 };
    });
    const startMs = time.nowMs();
    await time.play(Promise.all(Array.from({ length: 40 }, (_, n) => call(0, guilds[n % 3], n))));
    const cut = notified.findIndex(({ returns }) => returns.length > 0);
    const { busy, returns } = notified[cut] ?? assert.fail('It released no slots.');
    assert.deepEqual([busy, returns.length], [5, 15]);
    assert.ok(returns.every((ms) => ms > 0 && ms <= 1_010));
    const again = notified.slice(cut + 1).flatMap((report) => report.returns);
    assert.deepEqual(again, [], 'each is released once');
    const early = platform.done.filter(({ atMs }) => atMs < startMs + 2_020).length;
    assert.equal(early, 25, 'from then on it uses five a second');
  });

  test('returned slots are reported again when the database missed the report', async () => {
    const notified: CallReport[] = [];
    const { time, call } = openShared(1, async (_n, report) => {
      notified.push(report);
      if (report.returns.length > 0 && notified.filter(({ returns }) => returns.length > 0).length === 1)
        throw new Error('the database is unavailable');
      return { places: notified.length < 3 ? 20 : 5 };
    });
    await time.play(Promise.all(Array.from({ length: 40 }, (_, n) => call(0, guilds[n % 3], n))));
    const [first, second] = notified.filter(({ returns }) => returns.length > 0);
    assert.deepEqual(
      second?.returns.map((ms) => ms + 200),
      first?.returns,
    );
  });

  test('while a report is in flight it uses no more than it reported, since the rest may belong to another process', async () => {
    let answer: (() => void) | undefined;
    const notified: CallReport[] = [];
    const { time, platform, call } = openShared(1, async (_n, report) => {
      notified.push(report);
      if (notified.length > 3) await new Promise<void>((resolve) => (answer = resolve));
      return { places: 30 };
    });
    await time.play(Promise.all(Array.from({ length: 4 }, (_, n) => call(0, guilds[0], n))));
    await time.play(
      (async () => {
        while (answer === undefined) await time.sleepUntil(time.nowMs() + 10);
      })(),
    );
    const more = Promise.all(Array.from({ length: 10 }, (_, n) => call(0, guilds[0], 10 + n)));
    await time.play(time.sleepUntil(time.nowMs() + 10));
    assert.equal(platform.done.length, notified.at(-1)?.busy);
    answer?.();
    const startMs = time.nowMs();
    await time.play(more);
    assert.equal(time.nowMs(), startMs);
  });

  test('distinguishes checks from urgent calls, and finished writes from ongoing ones', async () => {
    const notified: CallReport[] = [];
    const { time, platform, call } = openShared(1, async (_n, report) => {
      notified.push(report);
      return { places: 10 };
    });
    const writes = Array.from({ length: 30 }, (_, n) => call(0, guilds[0], n));
    const checks = Array.from({ length: 30 }, (_, n) => call(0, guilds[0], n, 'verify'));
    await time.play(Promise.all([...writes, ...checks]));
    assert.equal(platform.refused, 0);
    const busiest = notified.findLast(({ wanted, urgent }) => wanted > urgent && urgent > 1);
    assert.ok(busiest, 'while it writes, it also waits for checks');
    assert.deepEqual(
      notified
        .filter(({ wanted }) => wanted > 11 && wanted < 30)
        .map(({ urgent }) => urgent)
        .at(-1),
      1,
      'in the end only checks are left',
    );
  });

  test('without the database it makes one call a second, and more when it is back', async () => {
    let isAway = true;
    const { time, platform, call } = openShared(1, async () => {
      if (isAway) throw new Error('the database is unavailable');
      return { places: 49 };
    });
    const startMs = time.nowMs();
    await time.play(Promise.all(Array.from({ length: 5 }, (_, n) => call(0, guilds[0], n))));
    assert.ok(time.nowMs() - startMs >= 4_000);
    isAway = false;
    const backMs = time.nowMs();
    await time.play(Promise.all(Array.from({ length: 40 }, (_, n) => call(0, guilds[0], n))));
    assert.ok(time.nowMs() - backMs < 2_000);
    assert.equal(platform.refused, 0);
  });

  test('pauses for as long as another process was globally or per-route limited', async () => {
    const key = 'PUT /guilds/:id/members/:id/roles/:id|100000000000000001';
    let isFirst = true;
    const { time, platform, call } = openShared(1, async () => {
      const blocks = isFirst ? [{ route: key, ms: 20_000 }] : [];
      isFirst = false;
      return { places: 49, blocks };
    });
    const startMs = time.nowMs();
    const [closed, open] = [call(0, guilds[0], 1), call(0, guilds[1], 2)];
    await time.play(open);
    assert.equal(time.nowMs(), startMs);
    await time.play(closed);
    assert.ok(time.nowMs() - startMs >= 20_000);
    assert.equal(platform.refused, 0);
  });
});
