import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { handTimers } from '../testing/idle-timers.ts';
import type { Endpoint } from './endpoint.ts';
import { EndpointFault, EndpointRefusal, EndpointsFailed } from './failures.ts';
import { createEndpointPool, type EndpointPoolOptions } from './pool.ts';

const urls = ['https://one.example/key-1', 'https://two.example/key-2', 'https://three.example/key-3'];

function setUp(options: Partial<EndpointPoolOptions> = {}) {
  const timers = handTimers();
  const pool = createEndpointPool({ name: 'evm:1', urls, timeoutMs: 1_000, hedgeAfterMs: 100, timers, ...options });
  const requests: string[] = [];
  /** Returns the name of the endpoint, after its scripted outcomes: an error, or no response. */
  const question =
    (script: Record<string, Error | 'hangs'> = {}) =>
    async ({ name }: Endpoint, signal: AbortSignal) => {
      requests.push(name);
      const scripted = script[name];
      if (scripted instanceof Error) throw scripted;
      if (scripted === 'hangs') {
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
      }
      return name;
    };
  return { timers, pool, requests, question };
}

const fault = new EndpointFault('failed (500)');
const refusal = new EndpointRefusal(-32000, 'too many results');

describe('a pool of endpoints', () => {
  it('uses only the first endpoint while it responds', async () => {
    const { pool, requests, question } = setUp();
    for (let n = 0; n < 5; n += 1) assert.equal(await pool.ask(question()), 'endpoint 1');
    assert.deepEqual(new Set(requests), new Set(['endpoint 1']));
  });

  it('falls back to the next endpoint when one fails, and prefers those that fail less', async () => {
    const { pool, requests, question } = setUp();
    assert.equal(await pool.ask(question({ 'endpoint 1': fault })), 'endpoint 2');
    assert.equal(await pool.ask(question()), 'endpoint 2');
    assert.deepEqual(requests, ['endpoint 1', 'endpoint 2', 'endpoint 2']);
  });

  it('hedges with a second endpoint when the first is slow, and takes the first response', async () => {
    const { pool, timers, requests, question } = setUp();
    const answer = pool.ask(question({ 'endpoint 1': 'hangs' }));
    await timers.pass(239);
    assert.deepEqual(requests, ['endpoint 1']);
    await timers.pass(1);
    assert.equal(await answer, 'endpoint 2');
    assert.equal(await pool.ask(question()), 'endpoint 2', 'the slow one is ranked lower');
  });

  it('waits as long as requests of the kind usually take before hedging', async () => {
    const { pool, timers, requests, question } = setUp();
    for (let n = 0; n < 10; n += 1) {
      const slow = pool.ask(async () => new Promise((resolve) => timers.after(400, () => resolve(n))), {
        kind: 'slow',
      });
      await timers.pass(400);
      await slow;
    }
    const answer = pool.ask(question({ 'endpoint 1': 'hangs' }), { kind: 'slow' });
    await timers.pass(479);
    assert.deepEqual(requests, ['endpoint 1']);
    await timers.pass(1);
    assert.equal(await answer, 'endpoint 2');
  });

  it('gives up on an endpoint that times out, and says so without its URL', async () => {
    const { pool, timers, question } = setUp({ urls: urls.slice(0, 1) });
    const answer = assert.rejects(pool.ask(question({ 'endpoint 1': 'hangs' })), (error: Error) => {
      assert.ok(error instanceof EndpointsFailed);
      assert.match(error.message, /evm:1.*timed out/);
      assert.doesNotMatch(error.message, /example|key/);
      return true;
    });
    await timers.pass(4_000);
    await answer;
  });

  it('retries a single endpoint after a pause', async () => {
    const { pool, timers, requests } = setUp({ urls: urls.slice(0, 1) });
    const answer = pool.ask(async ({ name }) => {
      requests.push(name);
      if (requests.length < 3) throw fault;
      return requests.length;
    });
    await timers.pass(99);
    assert.equal(requests.length, 1);
    await timers.pass(300);
    assert.equal(await answer, 3);
  });

  it('skips an endpoint that keeps failing, and tries it again later', async () => {
    const { pool, timers, requests, question } = setUp({ circuit: { leastOutcomes: 2, firstPauseMs: 5_000 } });
    const ask = async (script: Record<string, Error> = {}) => {
      const answers = pool.collect(question(script), { want: 3, atLeast: 1 });
      await timers.pass(1_000);
      return (await answers).map(({ value }) => value).toSorted();
    };
    await ask({ 'endpoint 2': fault, 'endpoint 3': fault });
    requests.length = 0;
    assert.deepEqual(await ask(), ['endpoint 1']);
    assert.deepEqual(requests, ['endpoint 1']);
    await timers.pass(60_000);
    assert.deepEqual(await ask(), ['endpoint 1', 'endpoint 2', 'endpoint 3']);
  });

  it('reports a refusal by all endpoints as one, so that a smaller request can be made', async () => {
    const { pool, requests, question } = setUp();
    const refused = { 'endpoint 1': refusal, 'endpoint 2': refusal, 'endpoint 3': refusal };
    const error = await pool.ask(question(refused)).catch((reason: unknown) => reason);
    assert.ok(error instanceof EndpointsFailed && error.isRefused);
    assert.equal(error.refusals[0]?.details, 'too many results');
    assert.doesNotMatch(error.message, /too many results/);
    assert.equal(requests.length, 3);
    assert.equal(await pool.ask(question()), 'endpoint 1', 'a refusal does not lower the rank of an endpoint');
  });

  it('stops at once when the caller aborts', async () => {
    const { pool, question } = setUp();
    const controller = new AbortController();
    const answer = pool.ask(question({ 'endpoint 1': 'hangs' }), { signal: controller.signal });
    controller.abort();
    await assert.rejects(answer, /canceled/);
    await assert.rejects(pool.ask(question(), { signal: AbortSignal.abort() }), /canceled/);
  });
});

describe('what an endpoint is', () => {
  it('is verified once, and again after it failed', async () => {
    const verified: string[] = [];
    const verify = async ({ name }: Endpoint) => void verified.push(name);
    const { pool, question } = setUp({ verify });
    for (let n = 0; n < 3; n += 1) await pool.ask(question());
    assert.deepEqual(verified, ['endpoint 1']);
    await pool.ask(question({ 'endpoint 1': fault }));
    await pool.collect(question(), { want: 3 });
    assert.deepEqual(verified.toSorted(), ['endpoint 1', 'endpoint 1', 'endpoint 2', 'endpoint 3']);
  });

  it('verifies an endpoint again when it refused to identify itself once', async () => {
    let refusals = 1;
    const verify = async () => {
      if (refusals-- > 0) throw refusal;
    };
    const { pool, timers, question } = setUp({ verify, urls: urls.slice(0, 1) });
    const answer = pool.ask(question());
    await timers.pass(100);
    assert.equal(await answer, 'endpoint 1');
  });

  it('an endpoint of another chain is not used at all', async () => {
    const verify = async ({ name }: Endpoint) => {
      if (name === 'endpoint 1') throw new EndpointFault('is on another chain', { isImpostor: true });
    };
    const { pool, requests, question } = setUp({ verify });
    for (let n = 0; n < 3; n += 1) assert.equal(await pool.ask(question()), 'endpoint 2');
    assert.ok(!requests.includes('endpoint 1'));
  });
});

describe('several endpoints', () => {
  it('are each used once, and endpoints on one host count as one', async () => {
    const { pool, question } = setUp({
      urls: ['https://one.example/a', 'https://one.example/b', 'https://two.example'],
    });
    assert.equal(pool.independent, 2);
    const answers = await pool.collect(question(), { want: 2 });
    assert.deepEqual(answers.map(({ value }) => value).toSorted(), ['endpoint 1', 'endpoint 3']);
    await assert.rejects(pool.collect(question(), { want: 3 }), /3 independent endpoints of evm:1 must agree, and 2/);
  });

  it('replace one another on failure', async () => {
    const { pool, question } = setUp();
    const answers = await pool.collect(question({ 'endpoint 1': fault }), { want: 2 });
    assert.deepEqual(answers.map(({ value }) => value).toSorted(), ['endpoint 2', 'endpoint 3']);
  });

  it('give no result when fewer than required respond', async () => {
    const { pool, timers, question } = setUp({ urls: urls.slice(0, 2) });
    const answer = assert.rejects(pool.collect(question({ 'endpoint 2': fault }), { want: 2 }), EndpointsFailed);
    await timers.pass(10_000);
    await answer;
  });

  it('wait only briefly for a response that is not required', async () => {
    const { pool, timers, question } = setUp();
    const answer = pool.collect(question({ 'endpoint 2': 'hangs', 'endpoint 3': 'hangs' }), { want: 2, atLeast: 1 });
    await timers.pass(500);
    assert.deepEqual(
      (await answer).map(({ value }) => value),
      ['endpoint 1'],
    );
  });
});

describe('blocks', () => {
  it('an endpoint far behind the others is not used until it has caught up', async () => {
    const { pool, requests, question } = setUp({ maxBlocksBehind: 5n });
    const heads = new Map([
      ['endpoint 1', 90n],
      ['endpoint 2', 100n],
      ['endpoint 3', 99n],
    ]);
    const look = async (endpoint: Endpoint) => pool.sawBlock(endpoint, heads.get(endpoint.name) ?? 0n);
    await pool.collect(look, { want: 3 });
    assert.equal(await pool.ask(question()), 'endpoint 2');
    assert.ok(!requests.includes('endpoint 1'));
    heads.set('endpoint 1', 100n);
    await pool.collect(look, { want: 3, includeStale: true });
    assert.equal(await pool.ask(question()), 'endpoint 1');
  });

  it('a single endpoint cannot make the others stale by claiming a future block', async () => {
    const { pool, question } = setUp({ maxBlocksBehind: 5n });
    const look = async (endpoint: Endpoint) => pool.sawBlock(endpoint, endpoint.name === 'endpoint 3' ? 10_000n : 100n);
    await pool.collect(look, { want: 3 });
    assert.equal(pool.bestBlock(), 100n);
    assert.equal(await pool.ask(question()), 'endpoint 1');
  });

  it('a single endpoint that falls far behind is not used for a while', async () => {
    const { pool, timers, question } = setUp({ urls: urls.slice(0, 1), maxBlocksBehind: 5n });
    let head = 100n;
    const look = () => pool.ask(async (endpoint) => pool.sawBlock(endpoint, head), { includeStale: true });
    await look();
    head = 94n;
    await look();
    await assert.rejects(pool.ask(question()), EndpointsFailed);
    head = 95n;
    await look();
    assert.equal(await pool.ask(question()), 'endpoint 1');
    head = 3n;
    await look();
    await timers.pass(120_000);
    assert.equal(await pool.ask(question()), 'endpoint 1', 'a chain that was restarted');
  });

  it('endpoints known to have the block are used first', async () => {
    const { pool, question } = setUp();
    await pool.collect(async (endpoint) => pool.sawBlock(endpoint, endpoint.name === 'endpoint 2' ? 101n : 100n), {
      want: 3,
    });
    assert.equal(await pool.ask(question(), { block: 101n }), 'endpoint 2');
    assert.equal(await pool.ask(question(), { block: 100n }), 'endpoint 1');
  });
});
