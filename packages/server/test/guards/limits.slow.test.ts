import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from '@latchkey/db';
import { seed, until } from '@latchkey/test-kit';
import { createRateLimiter, type RateRule, type Verdict } from '../../src/http/rate-limiter.ts';
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

/** Returns when the current window ends, in seconds since 1970, by the database's clock. */
async function endOfWindow(server: TestServer, durationSeconds: number): Promise<number> {
  const { rows } = await sql<{ end: number }>`
    select ((floor(extract(epoch from clock_timestamp()) / ${durationSeconds}::numeric) + 1) * ${durationSeconds}::numeric)::float8 as end`.execute(
    server.services.db.system,
  );
  return rows[0]?.end ?? 0;
}

const nowSeconds = () => Date.now() / 1000;

describe('rate limits', () => {
  let server: TestServer;
  before(async () => {
    const rate = (points: number) => `${points}/${longSeconds}`;
    server = await startTestServer({ LATCHKEY_ANONYMOUS_RATE: rate(5), LATCHKEY_USER_RATE: rate(7) });
    const limits = [
      { key: 'long', points: 6, duration: longSeconds, label: 'six', scopes: '$all' },
      { key: 'lists', points: 2, duration: longSeconds, label: 'two', scopes: 'community:read' },
    ];
    await sql`
      update plans set rate_limits = ${JSON.stringify(limits)}::jsonb, disallowed_scopes = '{token-gating}'`.execute(
      server.services.db.system,
    );
  });
  after(() => server.close());

  const post = (headers: Record<string, string>) => server.request('POST', '/states', { headers, json: { a: 1 } });

  test('an application gets what its plan allows, sees how much is left, and then a Retry-After', async () => {
    const { key } = await server.apiKey(['state:create']);
    const other = await server.apiKey(['state:create']);
    const end = await endOfWindow(server, longSeconds);
    let tookSeconds = 0;
    for (const left of [5, 4, 3, 2, 1, 0]) {
      const requestedAt = nowSeconds();
      const answer = await post({ 'x-api-key': key });
      tookSeconds = Math.max(tookSeconds, nowSeconds() - requestedAt);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.headers.get('x-ratelimit-limit'), '6');
      assert.equal(answer.headers.get('x-ratelimit-remaining'), String(left));
      // A process counts from when it learns of the end of a window, which may be as late as one of its responses.
      const lateSeconds = Date.parse(answer.headers.get('x-ratelimit-reset') ?? '') / 1000 - end;
      assert.ok(lateSeconds > -1 && lateSeconds < tookSeconds + 1, `${lateSeconds} s late, ${tookSeconds} s taken`);
    }
    const requestedAt = nowSeconds();
    const refused = await post({ 'x-api-key': key });
    assertRefused(refused);
    assert.equal(refused.headers.get('x-ratelimit-remaining'), '0');
    const retryAfterSeconds = Number(refused.headers.get('retry-after'));
    assert.ok(retryAfterSeconds >= end - nowSeconds() - 1 && retryAfterSeconds <= end - requestedAt + tookSeconds + 1);
    assert.equal((await post({ 'x-api-key': other.key })).status, 200, 'another application has limits of its own');
  });

  test('a limit counts only what its scopes allow, and the error names the plan', async () => {
    const { key } = await server.apiKey(['state:create', 'community:read']);
    const list = () => server.request('GET', '/communities', { headers: { 'x-api-key': key } });
    for (const left of ['1', '0']) assert.equal((await list()).headers.get('x-ratelimit-remaining'), left);
    const refused = await list();
    assertRefused(refused);
    assert.match(refused.text, /the plan Free allows 2 in/);
    assert.equal((await post({ 'x-api-key': key })).status, 200, 'operations of other scopes are not counted there');
  });

  test('an application uses the scopes of its plan where plans are sold, and all that it was granted where they are not', async () => {
    const { key } = await server.apiKey(['token-gating']);
    const json = { account: `0x${'00'.repeat(19)}01`, rules: [] };
    const check = () => server.request('POST', '/access-control/check-roles', { headers: { 'x-api-key': key }, json });
    assert.notEqual((await check()).status, 403);
    server.services.settings.selling = { isOn: true };
    const refused = await check();
    server.services.settings.selling = {};
    assert.deepEqual([refused.status, codeOf(refused.text)], [403, 'SCOPE_NOT_ALLOWED']);
    assert.match(refused.text, /The plan Free of this application does not include token-gating/);
  });

  test('the users of an application share its limit, and each also has their own', async () => {
    const { key } = await server.apiKey(['state:create']);
    for (const user of ['u1', 'u2', 'u3', 'u4', 'u5', 'u6'])
      assert.equal((await post({ 'x-api-key': key, authorization: await server.aeToken(user) })).status, 200);
    assertRefused(await post({ 'x-api-key': key, authorization: await server.aeToken('u7') }));
    assert.equal((await post({ authorization: await server.aeToken('u7') })).status, 200);
  });

  test('a user is counted once, whichever token they use', async () => {
    for (let count = 0; count < 7; count++) {
      const token = count % 2 === 0 ? server.aeToken('counted') : server.bearer('counted', ['$all']);
      assert.equal((await post({ authorization: await token })).status, 200);
    }
    assertRefused(await post({ authorization: await server.aeToken('counted') }));
    assertRefused(await post({ authorization: await server.bearer('counted', ['$all']) }));
  });

  test('a caller without a credential is counted by IP address, whatever the headers claim', async () => {
    const claims = ['x-forwarded-for', 'x-real-ip', 'forwarded', 'x-client-ip', 'cf-connecting-ip', 'true-client-ip'];
    const ask = (n: number) => server.request('GET', '/ping', { headers: { [claims[n % 6] ?? '']: `192.0.2.${n}` } });
    for (let n = 1; n <= 5; n++) assert.equal((await ask(n)).status, 200);
    for (let n = 6; n <= 12; n++) assertRefused(await ask(n));
  });

  test('the operator is not rate-limited', async () => {
    for (let count = 0; count < 20; count++) assert.equal((await post({ 'x-api-key': server.adminKey })).status, 200);
  });

  test('processes that share a database together allow exactly the limit', async () => {
    for (let round = 0; round < 20; round++) {
      const dice = throwDice(`${seed('limiters')} ${round}`);
      const limiters = Array.from({ length: 2 + dice.below(3) }, () => createRateLimiter(server.services));
      const rule: RateRule = { bucket: `round ${round}`, points: 1 + dice.below(120), durationSeconds: longSeconds };
      // Each process sends enough requests to use up the limit alone.
      const requested = limiters.flatMap((limiter) =>
        Array.from({ length: rule.points + dice.below(20) }, () => limiter),
      );
      const order = requested.map((limiter) => ({ limiter, at: dice.below(1_000_000) })).sort((a, b) => a.at - b.at);
      const verdicts = await Promise.all(order.map(({ limiter }) => limiter.take([rule])));
      assert.equal(verdicts.filter(({ allowed }) => allowed).length, rule.points, `round ${round}`);
    }
  });

  test('after the seconds of a Retry-After, and not earlier, there is capacity again', async () => {
    const limiter = createRateLimiter(server.services);
    const rule: RateRule = { bucket: 'short', points: 2, durationSeconds: 2 };
    let requestedAt = 0;
    let refusedAt = 0;
    let refusal: Verdict | undefined;
    await until('the window is used up', async () => {
      await Promise.all([limiter.take([rule]), limiter.take([rule])]);
      requestedAt = nowSeconds();
      refusal = await limiter.take([rule]);
      refusedAt = nowSeconds();
      return !refusal.allowed;
    });
    const { retryAfterSeconds } = refusal as unknown as Verdict;
    assert.ok(retryAfterSeconds >= 1 && retryAfterSeconds <= 2);
    await until('there is room again', async () => {
      const retriedAt = nowSeconds();
      const { allowed } = await limiter.take([rule]);
      // The refusal refers to a moment between the request and its response, and so does this verdict.
      const isEarly = nowSeconds() - requestedAt < retryAfterSeconds - 1;
      const isLate = retriedAt - refusedAt > retryAfterSeconds + 0.05;
      assert.ok(
        allowed ? !isEarly : !isLate,
        `${allowed} at ${retriedAt} after ${retryAfterSeconds} s from ${requestedAt}`,
      );
      return allowed;
    });
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

  /** Guesses until the server refuses, and returns how many attempts it allowed. */
  async function guessUntilBarred(at: TestServer, addressOf: (n: number) => string): Promise<number> {
    let longestSeconds = 0;
    for (let n = 0; n <= perMinute * 20; n++) {
      const end = await endOfWindow(at, 60);
      const requestedAt = nowSeconds();
      const answer = await guess(at, addressOf(n), n);
      const answeredAt = nowSeconds();
      longestSeconds = Math.max(longestSeconds, answeredAt - requestedAt);
      if (answer.status === 429) {
        assertRefused(answer);
        const retryAfterSeconds = Number(answer.headers.get('retry-after'));
        // A window may end shortly before the guess, which the server does not know yet, or while it is in flight.
        const fits = [end - 60, end, await endOfWindow(at, 60)].some(
          (one) =>
            retryAfterSeconds >= one - answeredAt - 1 && retryAfterSeconds <= one - requestedAt + longestSeconds + 1.5,
        );
        assert.ok(fits, `${retryAfterSeconds} s, asked ${end - requestedAt} s before the end`);
        return n;
      }
      assert.equal(answer.status, 401);
    }
    throw new Error('Guessing was never stopped.');
  }

  async function assertLimited(at: TestServer, addressOf: (n: number) => string): Promise<void> {
    const endAtFirst = await endOfWindow(at, 60);
    const allowed = await guessUntilBarred(at, addressOf);
    const minutes = ((await endOfWindow(at, 60)) - endAtFirst) / 60 + 1;
    assert.ok(minutes === 1 ? allowed === perMinute : allowed <= perMinute * minutes, `${allowed} tries`);
  }

  test('are limited by their IP address, and other addresses are not affected', async () => {
    await assertLimited(server, () => '198.51.100.7');
    assert.equal((await guess(server, '198.51.100.8')).status, 401);
  });

  test('are limited by IPv6 network, since one household has all of it', async () => {
    const spellings = [':0:1:2:3:', '::', ':0:a::', ':0:1::'];
    await assertLimited(server, (n) => `2001:db8:1${spellings[n % 4]}${(n + 1).toString(16)}`);
    assert.equal((await guess(server, '2001:db8:1:3::1')).status, 401);
  });

  test('are limited by the actual peer address when no proxy is trusted', async () => {
    await using direct = await startTestServer();
    await assertLimited(direct, (n) => `203.0.113.${n}`);
  });
});
