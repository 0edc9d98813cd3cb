import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EgressFailed, EgressRefused } from '@latchkey/core/ports';
import { guardedLookup } from './connect.ts';
import { createEgress } from './index.ts';
import { systemResolve } from './resolve.ts';
import { listenForIntruders } from './testing/canary.ts';
import { startDns } from './testing/dns.ts';

describe('egress: resolve', () => {
  const closed = () => false;
  /** Never dialled: these tests only check which addresses the socket would get. */
  const publicAddress = '93.184.216.34';

  let canary: Awaited<ReturnType<typeof listenForIntruders>>;
  let dns: Awaited<ReturnType<typeof startDns>>;
  let flips = 0;
  before(async () => {
    canary = await listenForIntruders();
    dns = await startDns((name) => {
      if (name === 'both.example') return { a: ['93.184.216.34'], aaaa: ['2606:4700:4700:0:0:0:0:1111'] };
      if (name === 'v4.example') return { a: ['93.184.216.34', '1.1.1.1'] };
      if (name === 'inside.example') return { a: ['127.0.0.1'] };
      if (name === 'localhost.example') return { a: ['1.1.1.1'], aaaa: ['0:0:0:0:0:0:0:1'] };
      if (name === 'empty.example') return {};
      // A rebinding server: the first lookup (one query for each family) is public, every later one is loopback.
      if (name === 'flip.example') return flips++ < 2 ? { a: [publicAddress] } : { a: ['127.0.0.1'] };
      return undefined;
    });
  });
  after(async () => {
    await Promise.all([canary.close(), dns.close()]);
  });

  const resolve = (hostname: string) => systemResolve(closed, [dns.server])(hostname);

  test('a name resolves to its addresses of both families', async () => {
    assert.deepEqual([...(await resolve('both.example'))].sort(), ['2606:4700:4700::1111', '93.184.216.34']);
    assert.deepEqual([...(await resolve('v4.example'))].sort(), ['1.1.1.1', '93.184.216.34']);
  });

  test('a name that does not exist or has no address is a failed connection', async () => {
    const egress = createEgress({ resolve });
    for (const host of ['missing.example', 'empty.example']) {
      const failed = await egress.send({ method: 'GET', url: `http://${host}/` }).catch((error: unknown) => error);
      assert.ok(failed instanceof EgressFailed, `${host}: ${failed}`);
      assert.equal(failed.kind, 'connect');
      assert.match(failed.message, new RegExp(`^${host} could not be reached \\(E\\w+\\)\\.$`));
    }
  });

  test('names that resolve to loopback in either family are refused', async () => {
    const egress = createEgress({ resolve });
    for (const host of ['inside.example', 'localhost.example']) {
      await assert.rejects(egress.send({ method: 'GET', url: `http://${host}:${canary.port}/` }), EgressRefused, host);
    }
    assert.equal(canary.connections(), 0);
  });

  test('only allowed hosts use the system lookup, with its hosts file', async () => {
    const opened = systemResolve((hostname) => hostname === 'localhost', [dns.server]);
    assert.ok((await opened('localhost')).some((address) => address === '127.0.0.1' || address === '::1'));
    await assert.rejects(async () => resolve('localhost'), { code: 'ENOTFOUND' });
  });

  test('a name is resolved once per connection, and every result is checked again', async () => {
    flips = 0;
    const lookup = guardedLookup(closed, resolve);
    const dial = () =>
      new Promise((done, fail) =>
        lookup('flip.example', { all: true }, (error, found) => (error ? fail(error) : done(found))),
      );

    assert.deepEqual(await dial(), [{ address: publicAddress, family: 4 }]);
    assert.equal(flips, 2, 'one query for each family');
    await assert.rejects(dial(), EgressRefused, 'the second result is loopback');
    assert.equal(flips, 4);
    assert.equal(canary.connections(), 0);
  });

  test('the socket is given the checked addresses and nothing else', async () => {
    const answers = [['93.184.216.34', '2606:4700:4700::1111'], ['127.0.0.1']];
    const lookup = guardedLookup(closed, async () => answers.shift() ?? []);
    const call = (all: boolean) =>
      new Promise((done, fail) => lookup('x.example', { all }, (error, found) => (error ? fail(error) : done(found))));

    assert.deepEqual(await call(true), [
      { address: '93.184.216.34', family: 4 },
      { address: '2606:4700:4700::1111', family: 6 },
    ]);
    await assert.rejects(call(true), EgressRefused);
    answers.push(['1.1.1.1', '10.0.0.1'], ['1.1.1.1', '8.8.8.8']);
    await assert.rejects(call(false), EgressRefused, 'a private address behind a public one refuses the name');
    assert.equal(await call(false), '1.1.1.1');
  });
});
