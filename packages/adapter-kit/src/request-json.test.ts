import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type EmulatorReply, startHttpEmulator } from '@latchkey/emulators/http-emulator';
import { patientMs } from '@latchkey/emulators/testing';
import { requestJson, ServiceFailed } from './request-json.ts';

async function start(t: TestContext, answer: () => EmulatorReply = () => ({ body: { amount: '1' } })) {
  const emulator = await startHttpEmulator(answer);
  t.after(emulator.stop);
  return emulator;
}

describe('asking for JSON', () => {
  const ask = (url: string, more = {}) =>
    requestJson(`${url}/x?key=secret`, { fetch, service: 'It', timeoutMs: patientMs, ...more });

  test('transient failures are retried, three attempts in total', async (t) => {
    const emulator = await start(t);
    emulator.misbehave({ kind: 'status', status: 503 }, 1);
    emulator.misbehave({ kind: 'cut' }, 1);
    assert.deepEqual((await ask(emulator.url)).body, { amount: '1' });
    assert.equal(emulator.requests.length, 3);
    emulator.misbehave({ kind: 'status', status: 503 });
    await assert.rejects(ask(emulator.url), new ServiceFailed('It failed (503).'));
    assert.equal(emulator.requests.length, 6);
  });

  test('Retry-After is honored when it is short, in seconds or as a date, and the service is left alone when it is long', async (t) => {
    const emulator = await start(t);
    const date = 'Tue, 01 Sep 2026 00:00:00 GMT';
    emulator.misbehave({ kind: 'status', status: 429, headers: { 'retry-after': '0' } }, 1);
    emulator.misbehave({ kind: 'status', status: 429, headers: { 'retry-after': date, date } }, 1);
    assert.deepEqual((await ask(emulator.url)).body, { amount: '1' });
    emulator.misbehave({ kind: 'status', status: 429, headers: { 'retry-after': '3' } });
    await assert.rejects(ask(emulator.url), new ServiceFailed('It is rate-limiting requests (429).'));
    assert.equal(emulator.requests.length, 4);
    await assert.rejects(ask(emulator.url, { timeoutMs: 20 }), ServiceFailed);
  });

  test('waiting, retries and reading share one timeout', async () => {
    let requested = 0;
    const fetch = async () => {
      requested += 1;
      return new Response('{}', { status: 503, headers: { 'retry-after': '2' } });
    };
    await assert.rejects(ask('http://127.0.0.1', { timeoutMs: 100, fetch }), /no time was left/);
    assert.equal(requested, 1);
  });

  test('an oversized body, a redirect or an abort ends it', async (t) => {
    const large = await start(t, () => ({ body: `"${'x'.repeat(8_100_000)}"` }));
    await assert.rejects(ask(large.url), new ServiceFailed('It sent a response that is too large.'));
    const moved = await start(t, () => ({ status: 302, headers: { location: large.url }, body: {} }));
    await assert.rejects(ask(moved.url), new ServiceFailed('It could not be reached.'));
    assert.equal(large.requests.length, 1);
    const leaving = new AbortController();
    const slow = await start(t);
    slow.misbehave({ kind: 'hang' });
    const request = ask(slow.url, { signal: leaving.signal });
    leaving.abort();
    await assert.rejects(request, new ServiceFailed('It was canceled.'));
  });

  test('an expected status needs no JSON, and any other failure is reported without its URL', async (t) => {
    const missing = await start(t, () => ({ status: 404, body: 'nothing here' }));
    assert.equal((await ask(missing.url, { answers: [404] })).status, 404);
    await assert.rejects(
      ask(missing.url),
      (error: Error) => !/secret|127\.0\.0\.1/.test(error.message) && /404/.test(error.message),
    );
  });
});
