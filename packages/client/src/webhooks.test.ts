import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, type WebhookMessage, WebhookSignatureError } from './index.ts';

const secretOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const secret = secretOf(7);
const body = JSON.stringify({
  type: 'member.role-granted',
  timestamp: '2026-01-01T00:00:00.000Z',
  data: { name: 'Grüße' },
});

/** Signed by the library of Standard Webhooks. */
function signed(changes: Record<string, string> = {}, at = new Date(), key = secret): WebhookMessage {
  const headers = {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': new Webhook(key).sign('msg_1', at, body),
  };
  return { headers: { ...headers, ...changes }, body };
}

test('a message signed by the Standard Webhooks library is accepted, in every supported input form', async () => {
  const { headers } = signed();
  const event = { id: 'msg_1', ...JSON.parse(body) };
  assert.deepEqual(await verifyWebhook({ headers, body }, secret), event);
  assert.deepEqual(await verifyWebhook({ headers, body: Buffer.from(body) }, secret), event);
  assert.deepEqual(
    await verifyWebhook({ headers: new Headers(headers as Record<string, string>), body }, secret),
    event,
  );
  const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
  assert.deepEqual(await verifyWebhook({ headers: shouted, body }, secret), event);
});

test('while a secret is replaced, a message signed with either is accepted, and so is one with two signatures', async () => {
  assert.equal((await verifyWebhook(signed({}, new Date(), secretOf(1)), [secret, secretOf(1)])).id, 'msg_1');
  const { headers } = signed();
  const both = `v1,${Buffer.alloc(32).toString('base64')} ${new Headers(headers as Record<string, string>).get('webhook-signature')}`;
  assert.equal((await verifyWebhook(signed({ 'webhook-signature': both }), secret)).id, 'msg_1');
});

test('forged, altered, old and future messages are refused', async () => {
  const minutes = (count: number) => new Date(Date.now() + count * 60_000);
  const refused: [string, WebhookMessage][] = [
    ['another secret', signed({}, new Date(), secretOf(1))],
    ['another body', { ...signed(), body: `${body} ` }],
    ['another id', signed({ 'webhook-id': 'msg_2' })],
    ['another time', signed({ 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) + 2) })],
    ['too old', signed({}, minutes(-6))],
    ['from the future', signed({}, minutes(6))],
    ['no time', signed({ 'webhook-timestamp': '' })],
    ['no number', signed({ 'webhook-timestamp': '1e9' })],
    ['no id', signed({ 'webhook-id': '' })],
    ['no signature', signed({ 'webhook-signature': '' })],
    ['another version', signed({ 'webhook-signature': 'v2,AAAA' })],
    ['no base64', signed({ 'webhook-signature': 'v1,%%%' })],
    ['nothing at all', { headers: {}, body: '' }],
  ];
  for (const [what, message] of refused)
    await assert.rejects(verifyWebhook(message, secret), WebhookSignatureError, what);
});

test('an invalid secret is an error of the receiver, and is not repeated in the message', async () => {
  for (const wrong of ['', 'whsec_', 'not base64 %'])
    await assert.rejects(verifyWebhook(signed(), wrong), (error) => {
      assert.ok(error instanceof TypeError);
      assert.ok(!error.message.includes('not base64 %'));
      return true;
    });
});
