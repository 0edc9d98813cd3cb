import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import { createRateLimiter, type RateRule } from '../../src/http/rate-limiter.ts';
import { throwDice } from '../harness/dice.ts';
import { codeOf, errorShapeProblems } from '../harness/error-shape.ts';
import { startTestServer, type TestAnswer, type TestServer } from '../harness/test-server.ts';
import { behindProxy } from '../harness/visit-server.ts';

/** A window that does not end while a test runs. */
const longSeconds = 1_000_000;

function assertRefused(answer: TestAnswer): void {
  assert.equal(answer.status, 429, answer.text);
  assert.equal(codeOf(answer.text), 'RATE_LIMITED');
  assert.deepEqual(errorShapeProblems(429, answer.headers.get('content-type') ?? '', answer.text), []);
}

/** The seconds that are left of a window, by the clock that windows are made with. */
async function secondsLeft(server: TestServer, durationSeconds: number): Promise<number> {
  const { rows } = await sql<{ left: number }>`
    select (${durationSeconds}::float8 - extract(epoch from clock_timestamp())::numeric % ${durationSeconds}::numeric)::float8 as left`.execute(
    server.platform.db.system,
  );
  return rows[0]?.left ?? 0;
}

describe('rate limits', () => {
  let server: TestServer;
  before(async () => {
    const rate = (points: number) => `${points}/${longSeconds}`;
    server = await startTestServer({ LATCHKEY_ANONYMOUS_RATE: rate(5), LATCHKEY_USER_RATE: rate(7) });
    const limits = [{ key: 'long', points: 6, duration: longSeconds, label: 'six', scopes: '$all' }];
    await sql`update plans set rate_limits = ${JSON.stringify(limits)}::jsonb`.execute(server.platform.db.system);
  });
  after(() => server.close());

  const post = (headers: Record<string, string>) => server.request('POST', '/states', { headers, json: { a: 1 } });

  test('an application gets what its plan allows, is told how much is left, and then when to come back', async () => {
    const { key } = await server.apiKey(['state:create']);
    const other = await server.apiKey(['state:create']);
    for (const left of [5, 4, 3, 2, 1, 0]) {
      const answer = await post({ 'x-api-key': key });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers.get('x-ratelimit-limit'), '6');
      assert.equal(answer.headers.get('x-ratelimit-remaining'), String(left));
      const resetInSeconds = (Date.parse(answer.headers.get('x-ratelimit-reset') ?? '') - Date.now()) / 1000;
      assert.ok(Math.abs(resetInSeconds - (await secondsLeft(server, longSeconds))) < 1);
    }
    const refused = await post({ 'x-api-key': key });
    const untilResetSeconds = await secondsLeft(server, longSeconds);
    assertRefused(refused);
    assert.equal(refused.headers.get('x-ratelimit-remaining'), '0');
    assert.ok(Math.abs(Number(refused.headers.get('retry-after')) - untilResetSeconds) <= 1);
    assert.equal((await post({ 'x-api-key': other.key })).status, 200, 'another application has limits of its own');
  });

  test('the users of an application share its limit, and each has one beside it', async () => {
    const { key } = await server.apiKey(['state:create']);
    for (const user of ['u1', 'u2', 'u3', 'u4', 'u5', 'u6'])
      assert.equal((await post({ 'x-api-key': key, authorization: await server.aeToken(user) })).status, 200);
    assertRefused(await post({ 'x-api-key': key, authorization: await server.aeToken('u7') }));
    assert.equal((await post({ authorization: await server.aeToken('u7') })).status, 200);
  });

  test('a user is counted once, whichever token they come with', async () => {
    for (let count = 0; count < 7; count++) {
      const token = count % 2 === 0 ? server.aeToken('counted') : server.bearer('counted', ['$all']);
      assert.equal((await post({ authorization: await token })).status, 200);
    }
    assertRefused(await post({ authorization: await server.aeToken('counted') }));
    assertRefused(await post({ authorization: await server.bearer('counted', ['$all']) }));
  });

  test('a caller without a credential is counted by address, whatever address the headers claim', async () => {
    const claims = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'x-client-ip', 'cf-connecting-ip', 'true-client-ip'];
    const ask = (n: number) => server.request('GET', '/ping', { headers: { [claims[n % 6] ?? '']: `192.0.2.${n}` } });
    for (let n = 1; n <= 5; n++) assert.equal((await ask(n)).status, 200);
    for (let n = 6; n <= 12; n++) assertRefused(await ask(n));
  });

  test('the operator is not held back', async () => {
    for (let count = 0; count < 20; count++) assert.equal((await post({ 'x-api-key': server.adminKey })).status, 200);
  });

  test('processes that share a database never give more than the limit between them, and no less', async () => {
    for (let round = 0; round < 20; round++) {
      const dice = throwDice(`limiters ${round}`);
      const limiters = Array.from({ length: 2 + dice.below(3) }, () => createRateLimiter(server.platform));
      const rule: RateRule = { bucket: `round ${round}`, points: 1 + dice.below(120), durationSeconds: longSeconds };
      // Each process asks often enough to use up all of it alone.
      const asked = limiters.flatMap((limiter) => Array.from({ length: rule.points + dice.below(20) }, () => limiter));
      const order = asked.map((limiter) => ({ limiter, at: dice.below(1_000_000) })).sort((a, b) => a.at - b.at);
      const verdicts = await Promise.all(order.map(({ limiter }) => limiter.take([rule])));
      assert.equal(verdicts.filter(({ allowed }) => allowed).length, rule.points, `round ${round}`);
    }
  });

  test('after as many seconds as a refusal says, and not a second earlier, there is room again', async () => {
    const limiter = createRateLimiter(server.platform);
    const rule: RateRule = { bucket: 'short', points: 2, durationSeconds: 3 };
    const takeUntil = async (isWanted: boolean) => {
      const deadline = performance.now() + 10_000;
      while (performance.now() < deadline) {
        const verdict = await limiter.take([rule]);
        if (verdict.allowed === isWanted) return verdict;
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      throw new Error('The window did not end.');
    };
    const { retryAfterSeconds } = await takeUntil(false);
    const startedAt = performance.now();
    await takeUntil(true);
    const waitedSeconds = (performance.now() - startedAt) / 1000;
    assert.ok(retryAfterSeconds >= 1 && retryAfterSeconds <= 3);
    assert.ok(waitedSeconds <= retryAfterSeconds + 0.5, `${waitedSeconds} s instead of ${retryAfterSeconds}`);
    assert.ok(waitedSeconds > retryAfterSeconds - 1.05, `${waitedSeconds} s instead of ${retryAfterSeconds}`);
  });
});

describe('wrong credentials', () => {
  const perMinute = 30;
  let server: TestServer;
  before(async () => {
    server = await startTestServer(behindProxy);
  });
  after(() => server.close());

  const guess = (at: TestServer, from: string, n = 0) =>
    at.request('GET', '/client-apps', {
      headers: { 'x-forwarded-for': from, authorization: `Bearer lk_at_${String(n).padStart(43, 'x')}` },
    });

  /** Guesses until the server has enough of it, and answers how many tries it allowed. */
  async function guessUntilBarred(at: TestServer, addressOf: (n: number) => string): Promise<number> {
    for (let n = 0; n <= perMinute * 2; n++) {
      const answer = await guess(at, addressOf(n), n);
      if (answer.status === 429) {
        assertRefused(answer);
        const retryAfterSeconds = Number(answer.headers.get('retry-after'));
        assert.ok(Math.abs(retryAfterSeconds - (await secondsLeft(at, 60))) <= 1.5);
        return n;
      }
      assert.equal(answer.status, 401);
    }
    throw new Error('Guessing was never stopped.');
  }

  async function assertLimited(at: TestServer, addressOf: (n: number) => string): Promise<void> {
    const leftAtFirst = await secondsLeft(at, 60);
    const allowed = await guessUntilBarred(at, addressOf);
    const isSameMinute = (await secondsLeft(at, 60)) < leftAtFirst;
    assert.ok(isSameMinute ? allowed === perMinute : allowed <= perMinute * 2, `${allowed} tries`);
  }

  test('are limited by the address they come from, and other addresses are not held to account', async () => {
    await assertLimited(server, () => '198.51.100.7');
    assert.equal((await guess(server, '198.51.100.8')).status, 401);
  });

  test('are limited by the network an IPv6 address is in, since one household has all of it', async () => {
    const spellings = [':0:1:2:3:', '::', ':0:a::', ':0:1::'];
    await assertLimited(server, (n) => `2001:db8:1${spellings[n % 4]}${(n + 1).toString(16)}`);
    assert.equal((await guess(server, '2001:db8:1:3::1')).status, 401);
  });

  test('are limited by where they really come from when no proxy is trusted', async () => {
    await using direct = await startTestServer();
    await assertLimited(direct, (n) => `203.0.113.${n}`);
  });
});
