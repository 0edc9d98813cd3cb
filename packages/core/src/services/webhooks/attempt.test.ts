import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { type Egress, EgressFailed, EgressRefused, type EgressRequest } from '../../ports/index.ts';
import { attemptDelivery } from './attempt.ts';
import { formatWebhookSecret } from './sign.ts';

const secret = formatWebhookSecret(Buffer.alloc(32, 3));
const endpoint = { url: 'https://receiver.example/hooks?token=hidden', secrets: [secret] };
const message = () => ({ id: 'msg_1', timestamp: new Date(), body: '{"event":"pass.claimed"}' });

const answering = (status: number): Egress => ({ send: async () => ({ status, headers: {}, body: new Uint8Array() }) });
const failing = (error: unknown): Egress => ({ send: () => Promise.reject(error) });

test('every status from 200 to 299 is a delivery', async () => {
  for (const status of [200, 201, 202, 204, 299]) {
    const { outcome, status: seen } = await attemptDelivery(answering(status), endpoint, message());
    assert.deepEqual([outcome, seen], ['delivered', status]);
  }
});

test('410 disables the endpoint', async () => {
  const { outcome, status } = await attemptDelivery(answering(410), endpoint, message());
  assert.deepEqual([outcome, status], ['disable', 410]);
});

test('redirects and every other status are retried', async () => {
  for (const status of [300, 301, 302, 307, 308, 400, 401, 404, 409, 429, 500, 502, 503]) {
    const result = await attemptDelivery(answering(status), endpoint, message());
    assert.deepEqual([result.outcome, result.status], ['retry', status]);
    assert.match(result.reason, new RegExp(`returned ${status}`));
  }
});

test('a blocked address, a timeout and a broken connection are retried with their reason', async () => {
  const errors = [
    new EgressRefused('address', 'receiver.example does not resolve to a public address.'),
    new EgressFailed('timeout', 'receiver.example did not send a complete response within 15000 ms.'),
    new EgressFailed('connect', 'receiver.example could not be reached (ECONNREFUSED).'),
    new EgressFailed('too_large', 'The response from receiver.example is too large.'),
  ];
  for (const error of errors) {
    const result = await attemptDelivery(failing(error), endpoint, message());
    assert.deepEqual(result, { outcome: 'retry', reason: error.message });
  }
});

test('our own error is not mistaken for the receiver being down', async () => {
  const fault = new TypeError('x is not a function');
  await assert.rejects(attemptDelivery(failing(fault), endpoint, message()), fault);
  await assert.rejects(attemptDelivery(answering(200), { ...endpoint, secrets: [] }, message()), /at least one secret/);
});

test('the request is a signed POST of the raw body that must be answered within 15 seconds', async () => {
  const requests: EgressRequest[] = [];
  const egress: Egress = {
    send: async (request) => {
      requests.push(request);
      return { status: 204, headers: {}, body: new Uint8Array() };
    },
  };
  const sent = message();
  const { signal } = new AbortController();
  await attemptDelivery(egress, endpoint, sent, signal);

  const [request] = requests;
  assert.ok(request?.headers);
  assert.deepEqual(
    [request.method, request.url, request.body, request.timeoutMs, request.signal],
    ['POST', endpoint.url, sent.body, 15_000, signal],
  );
  assert.equal(request.headers['content-type'], 'application/json');
  assert.doesNotThrow(() => new Webhook(secret).verify(sent.body, request.headers ?? {}));
});
