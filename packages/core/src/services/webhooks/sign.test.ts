import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { formatWebhookSecret, signWebhook } from './sign.ts';

const secret = formatWebhookSecret(Buffer.alloc(32, 7));
const older = formatWebhookSecret(Buffer.alloc(24, 9));
const stranger = formatWebhookSecret(Buffer.alloc(64, 1));
// The external verifier reads the system clock and refuses what is older than five minutes.
const message = (body: string) => ({ id: 'msg_2KWPBgLlAfxdpx2AI54pPJ85f4W', timestamp: new Date(), body });

test('the Standard Webhooks library accepts a signed message, whatever its text', () => {
  for (const body of ['{"event":"role.granted"}', '{ "pretty":\n  true }', '{"name":"Grüße 🎉"}', '[]']) {
    const verified = new Webhook(secret).verify(body, signWebhook(message(body), [secret]));
    assert.deepEqual(verified, JSON.parse(body));
  }
});

test('the published example of Standard Webhooks gets the published signature', () => {
  const headers = signWebhook(
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: new Date(1614265330 * 1000), body: '{"test": 2432232314}' },
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  );
  assert.equal(headers['webhook-timestamp'], '1614265330');
  assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

test('a changed body, id, time or secret is not accepted', () => {
  const headers = signWebhook(message('{"a":1}'), [secret]);
  const later = String(Number(headers['webhook-timestamp']) + 1);
  const verify =
    (body: string, changed: Record<string, string>, key = secret) =>
    () =>
      new Webhook(key).verify(body, { ...headers, ...changed });

  assert.doesNotThrow(verify('{"a":1}', {}));
  assert.throws(verify('{"a":2}', {}));
  assert.throws(verify('{"a":1}', { 'webhook-id': 'msg_other' }));
  assert.throws(verify('{"a":1}', { 'webhook-timestamp': later }));
  assert.throws(verify('{"a":1}', {}, stranger));
});

test('while a secret is being replaced, receivers with either one accept the message', () => {
  const headers = signWebhook(message('{}'), [secret, older]);
  assert.match(headers['webhook-signature'] ?? '', /^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
  for (const known of [secret, older]) assert.doesNotThrow(() => new Webhook(known).verify('{}', headers));
  assert.throws(() => new Webhook(stranger).verify('{}', headers));
});

test('existing receivers find the hex HMAC of the raw body, keyed with the newest secret as it was shown', () => {
  const body = '{"name":"Grüße"}';
  const headers = signWebhook(message(body), [secret, older]);
  const expected = createHmac('sha256', secret).update(Buffer.from(body)).digest('hex');
  assert.equal(headers['x-collabland-signature'], expected);
});

test('a secret or id that would weaken the signature is refused without being repeated', () => {
  const weak = ['', 'whsec_', 'whsec_c2hvcnQ=', 'not a secret at all', `${secret}!`, secret.replace('whsec_', '')];
  for (const secrets of [...weak.map((text) => [text]), [secret, 'whsec_c2hvcnQ='], []]) {
    assert.throws(
      () => signWebhook(message('{}'), secrets),
      (error: Error) => {
        assert.doesNotMatch(error.message, /c2hvcnQ|not a secret at all|BwcHBw/);
        return error instanceof TypeError;
      },
    );
  }
  for (const id of ['', 'a.b', 'a b', 'a\r\nb', 'x'.repeat(256)]) {
    assert.throws(() => signWebhook({ ...message('{}'), id }, [secret]), TypeError);
  }
  assert.throws(() => formatWebhookSecret(Buffer.alloc(23)), RangeError);
});
