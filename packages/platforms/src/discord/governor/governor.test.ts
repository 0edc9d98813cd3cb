import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { seedNumber, volume } from '@latchkey/test-kit';
import { VirtualTime } from '../testing/virtual-time.ts';
import { Governor, GovernorPaused, type Method, routeOf } from './index.ts';
import { chance, guilds, type Limit, Platform, rolePath } from './test-kit.ts';

describe('the governor', () => {
  function open(limitOf: (template: string) => Limit, latencyMs: () => number = () => 0) {
    const time = new VirtualTime();
    const platform = new Platform(time, limitOf);
    const governor = new Governor({ time });
    const call = (method: Method, path: string, priority: 'ask' | 'write' | 'verify' = 'write') => {
      const route = routeOf(method, path);
      return governor.run({ route, priority }, async () => {
        await time.sleepUntil(time.nowMs() + latencyMs());
        const answer = platform.answer(route.template, route.major);
        await time.sleepUntil(time.nowMs() + latencyMs());
        return answer;
      });
    };
    return { time, platform, governor, call };
  }

  test('writes to one guild go out as early as its bucket allows and never earlier', async () => {
    const { time, platform, call } = open(() => ({ hash: 'put', limit: 10, windowMs: 10_000 }));
    const startMs = time.nowMs();
    await time.play(Promise.all(Array.from({ length: 95 }, (_, n) => call('PUT', rolePath(guilds[0], n)))));
    assert.equal(platform.refused, 0);
    assert.equal(platform.done.length, 95);
    const tookMs = time.nowMs() - startMs;
    assert.ok(tookMs >= 90_000 && tookMs < 90_000 * 1.01, `${tookMs}`);
  });

  test('a process that freezes at any moment loses no waiting call', async () => {
    for (let standsStillAt = 1; standsStillAt <= 40; standsStillAt += 1) {
      let looks = 0;
      let skippedMs = 0;
      const clock = new VirtualTime();
      const nowMs = () => {
        looks += 1;
        if (looks === standsStillAt) skippedMs += 30_000;
        return clock.nowMs() + skippedMs;
      };
      const time = { nowMs, sleepUntil: (atMs: number) => clock.sleepUntil(atMs - skippedMs) };
      const governor = new Governor({ time });
      // Exempt from the global limit, which would wake every other waiter.
      const route = routeOf('POST', '/webhooks/100000000000000001/token');
      assert.ok(route.isExemptFromGlobal);
      let refusals = 2;
      const answered = governor.run({ route, priority: 'ask' }, async () => {
        refusals -= 1;
        const headers = new Headers({ 'retry-after': '0.2', 'x-ratelimit-scope': 'shared' });
        return refusals < 0 ? { status: 200, headers: new Headers() } : { status: 429, headers };
      });
      await clock.play(answered);
      assert.equal((await answered).status, 200);
    }
  });

  test('many guilds share 50 calls a second and use all of them', async () => {
    const { time, platform, call } = open(() => ({ hash: 'put', limit: 1000, windowMs: 10_000 }));
    const startMs = time.nowMs();
    await time.play(Promise.all(Array.from({ length: 1000 }, (_, n) => call('PUT', rolePath(guilds[n % 3], n)))));
    assert.equal(platform.refused, 0);
    const tookMs = time.nowMs() - startMs;
    assert.ok(tookMs >= 19_000 && tookMs < 19_000 * 1.02, `${tookMs}`);
  });

  const manyGuilds = Array.from({ length: 100 }, (_, n) => `1000000000000001${String(n).padStart(2, '0')}`);

  test('the buckets of many guilds do not delay calls that the global limit allows', async () => {
    const { time, platform, call } = open(() => ({ hash: 'put', limit: 10, windowMs: 10_000 }));
    const startMs = time.nowMs();
    await time.play(
      Promise.all(manyGuilds.flatMap((guild) => Array.from({ length: 20 }, (_, n) => call('PUT', rolePath(guild, n))))),
    );
    assert.equal(platform.refused, 0);
    const tookMs = time.nowMs() - startMs;
    assert.ok(tookMs >= 39_000 && tookMs < 39_000 * 1.04, `${tookMs}`);
  });

  test('no call is refused whatever the delays, limits and shared buckets', async () => {
    const first = seedNumber('governor');
    const seeds = Array.from({ length: volume(20, 400) }, (_, index) => first + index);
    // The last seed once lost track of a call in flight when its route turned out to share a bucket.
    for (const seed of [...seeds, 53_204_693]) {
      const next = chance(seed);
      const limits = new Map(
        ['PUT', 'DELETE', 'PATCH', 'GET'].map((method) => [
          method,
          { hash: `h${Math.floor(next() * 3)}`, limit: 1 + Math.floor(next() * 12), windowMs: 1000 + next() * 9000 },
        ]),
      );
      // Routes with the same hash have the same limit.
      for (const one of limits.values())
        for (const other of limits.values()) if (one.hash === other.hash) Object.assign(other, one);
      const { time, platform, call } = open(
        (template) => limits.get(template.split(' ')[0] ?? '') ?? { hash: 'x', limit: 1, windowMs: 1000 },
        () => next() * 400,
      );
      const methods: Method[] = ['PUT', 'DELETE', 'PATCH', 'GET'];
      const calls = Array.from({ length: 120 }, async (_, n) => {
        await time.sleepUntil(time.nowMs() + next() * 5_000);
        return call(methods[Math.floor(next() * 4)] ?? 'GET', rolePath(guilds[Math.floor(next() * 3)], n));
      });
      const answers = await time.play(Promise.all(calls));
      assert.equal(platform.refused, 0, `seed ${seed}`);
      assert.ok(answers.every((answer) => answer.status === 200));
    }
  });

  test('requests go before writes, and writes before the reads that verify them', async () => {
    const { time, platform, call } = open((template) => ({ hash: template, limit: 1000, windowMs: 1000 }));
    const routes = [
      ['GET', `/guilds/${guilds[1]}/members`, 'verify'],
      ['PATCH', `/guilds/${guilds[1]}/members/200000000000000001`, 'write'],
      ['GET', `/guilds/${guilds[2]}/roles`, 'ask'],
    ] as const;
    for (const [method, path] of [...routes, ['PUT', rolePath(guilds[0], 0)] as const])
      await time.play(call(method, path));
    await time.play(time.sleepUntil(time.nowMs() + 2_000));
    const before = platform.done.length;
    const fill = Array.from({ length: 60 }, (_, n) => call('PUT', rolePath(guilds[0], n)));
    await time.play(Promise.all([...fill, ...routes.map(([method, path, priority]) => call(method, path, priority))]));
    const keys = platform.done.slice(before).map(({ key }) => key.split(' ')[0]);
    assert.deepEqual(keys.slice(0, 50), Array(50).fill('PUT'));
    assert.deepEqual(keys.slice(50), ['GET', ...Array(10).fill('PUT'), 'PATCH', 'GET']);
  });

  test('responses without headers still count, so a failing proxy does not lead to refusals', async () => {
    const { time, platform, call } = open(() => ({ hash: 'put', limit: 5, windowMs: 5_000 }));
    await time.play(call('PUT', rolePath(guilds[0], 0)));
    platform.mute = true;
    await time.play(Promise.all(Array.from({ length: 30 }, (_, n) => call('PUT', rolePath(guilds[0], n)))));
    platform.mute = false;
    await time.play(Promise.all(Array.from({ length: 30 }, (_, n) => call('PUT', rolePath(guilds[0], n)))));
    assert.equal(platform.refused, 0);
  });

  test('an unannounced rate limit is waited out and the call is sent again', async () => {
    const time = new VirtualTime();
    const governor = new Governor({ time });
    const startMs = time.nowMs();
    let tries = 0;
    const answer = await time.play(
      governor.run({ route: routeOf('GET', '/users/@me'), priority: 'ask' }, async () => {
        tries += 1;
        return tries === 1
          ? { status: 429, headers: new Headers({ 'retry-after': '7', 'x-ratelimit-scope': 'user' }) }
          : { status: 200, headers: new Headers() };
      }),
    );
    assert.equal(answer.status, 200);
    assert.equal(tries, 2);
    assert.ok(time.nowMs() - startMs >= 7_000);
    assert.equal(governor.metrics.rateLimited, 1);
  });

  test('sending stops long before Discord would ban the address, and resumes after ten minutes', async () => {
    const time = new VirtualTime();
    const governor = new Governor({ time, maxInvalidCalls: 20 });
    let status = 403;
    let sent = 0;
    const call = () =>
      governor.run({ route: routeOf('GET', '/users/@me'), priority: 'ask' }, async () => {
        sent += 1;
        return { status, headers: new Headers() };
      });
    const outcomes = await time.play(Promise.allSettled(Array.from({ length: 50 }, call)));
    assert.equal(sent, 20);
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(refused.length, 30);
    assert.ok(refused.every(({ reason }) => reason instanceof GovernorPaused && reason.retryAfterSeconds > 500));
    status = 200;
    await assert.rejects(call(), GovernorPaused);
    await time.play(time.sleepUntil(time.nowMs() + 600_001));
    assert.equal((await time.play(call())).status, 200);
  });

  test('a call that is aborted while waiting is never sent', async () => {
    const { time, platform, governor, call } = open(() => ({ hash: 'put', limit: 1, windowMs: 10_000 }));
    await time.play(call('PUT', rolePath(guilds[0], 0)));
    const stop = new AbortController();
    const waiting = governor.run(
      { route: routeOf('PUT', rolePath(guilds[0], 1)), priority: 'write', signal: stop.signal },
      async () => assert.fail('sent'),
    );
    stop.abort(new Error('given up'));
    await assert.rejects(waiting, /given up/);
    await time.play(call('PUT', rolePath(guilds[0], 2)));
    assert.equal(platform.done.length, 2);
  });

  test('a call that fails in transit returns its error and the next one is sent', async () => {
    const time = new VirtualTime();
    const governor = new Governor({ time });
    const route = routeOf('GET', '/users/@me');
    const broken = governor.run({ route, priority: 'ask' }, () => Promise.reject(new Error('connection lost')));
    const good = governor.run({ route, priority: 'ask' }, async () => ({ status: 200, headers: new Headers() }));
    await assert.rejects(time.play(broken), /connection lost/);
    assert.equal((await time.play(good)).status, 200);
  });

  test('webhooks have their own token and bucket and do not count towards the bot', () => {
    const route = routeOf('POST', '/webhooks/100000000000000001/aToken/messages/@original');
    assert.deepEqual(route, {
      template: 'POST /webhooks/:id/:token/messages/@original',
      major: '100000000000000001/aToken',
      isExemptFromGlobal: true,
    });
    assert.equal(routeOf('GET', '/users/@me/guilds').major, '');
  });
});
