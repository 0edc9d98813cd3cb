import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { patientMs } from '@latchkey/emulators/testing';
import { startTokenproofEmulator } from '@latchkey/emulators/tokenproof';
import { fuzzAnswers, volume } from '@latchkey/test-kit';
import { createTokenproof } from './index.ts';

const secret = 'shared with the service';
const sign = (body: string, key = secret) => createHmac('sha256', key).update(body).digest('hex');

interface Reply {
  status?: number;
  body?: string;
  signature?: string;
}

async function start(t: TestContext, replyTo: (path: string) => Reply) {
  const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const { status = 200, body = '', signature } = replyTo(request.url ?? '');
    response.writeHead(status, signature === undefined ? {} : { 'x-tokenproof-signature': signature }).end(body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return createTokenproof({ fetch, url, secret, timeoutMs: patientMs });
}

test('a response is accepted when its exact bytes are signed with the shared secret', async (t) => {
  const body = JSON.stringify({ nonce: 'n', status: 'authenticated', account: '0x1', session_id: 's', more: 1 });
  const paths: string[] = [];
  const tokenproof = await start(t, (path) => {
    paths.push(path);
    return { body, signature: sign(body) };
  });
  assert.deepEqual(await tokenproof.readReply('a/b'), {
    kind: 'replied',
    reply: { nonce: 'n', status: 'authenticated', account: '0x1', sessionId: 's' },
  });
  assert.deepEqual(paths, ['/responses/a%2Fb']);
  assert.match(tokenproof.appLink({ requestId: 'r&', nonce: 'n' }), /\/app\?request_id=r%26&nonce=n$/);
});

test('a pending response is awaited', async (t) => {
  const tokenproof = await start(t, () => ({ status: 404 }));
  assert.deepEqual(await tokenproof.readReply('r'), { kind: 'waiting' });
});

test('unsigned, altered, malformed or missing responses decide nothing', async (t) => {
  const body = JSON.stringify({ nonce: 'n', status: 'authenticated' });
  const replies: Reply[] = [
    { body },
    { body, signature: '' },
    { body, signature: sign(body, 'another secret') },
    { body: `${body} `, signature: sign(body) },
    { body, signature: `${sign(body)}00` },
    { body: '[]', signature: sign('[]') },
    { body: '{"nonce":1}', signature: sign('{"nonce":1}') },
    { body: '{', signature: sign('{') },
    { status: 500, body, signature: sign(body) },
    { status: 302 },
  ];
  for (const reply of replies) {
    const tokenproof = await start(t, () => reply);
    assert.equal((await tokenproof.readReply('r')).kind, 'unknown', JSON.stringify(reply));
  }
  const nowhere = createTokenproof({ fetch, url: 'http://127.0.0.1:1', secret });
  assert.equal((await nowhere.readReply('r')).kind, 'unknown');
});

test('a person responds on the page that the link opens, and cannot prove what is no account', async (t) => {
  const emulator = await startTokenproofEmulator({ secret });
  t.after(emulator.stop);
  const tokenproof = createTokenproof({ fetch, url: emulator.url, secret, timeoutMs: patientMs });
  const open = (requestId: string) => tokenproof.appLink({ requestId, nonce: `of ${requestId}` });
  const press = (requestId: string, fields: Record<string, string>) =>
    fetch(open(requestId), { method: 'POST', body: new URLSearchParams(fields) });
  const page = await fetch(open('r1'));
  assert.match(await page.text(), /<form method="post">.*name="account"/s);
  assert.equal((await press('r1', { decision: 'prove', account: 'me' })).status, 400);
  assert.deepEqual(await tokenproof.readReply('r1'), { kind: 'waiting' });
  const account = `0x${'a1'.repeat(20)}`;
  assert.equal((await press('r1', { decision: 'prove', account })).status, 200);
  assert.deepEqual(await tokenproof.readReply('r1'), {
    kind: 'replied',
    reply: { nonce: 'of r1', status: 'authenticated', account, sessionId: 'session-1' },
  });
  await press('r2', { decision: 'refuse' });
  const refused = await tokenproof.readReply('r2');
  assert.equal(refused.kind === 'replied' && refused.reply.status, 'rejected');
  assert.equal((await fetch(`${emulator.url}/app`)).status, 404, 'a link without a request opens nothing');
});

test('a response that the service signed although it is corrupted decides nothing', async (t) => {
  const emulator = await startTokenproofEmulator({ secret });
  t.after(emulator.stop);
  let change: ((body: unknown) => unknown) | undefined;
  const corrupting: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (change === undefined || response.status !== 200) return response;
    const changed = change(await response.json());
    const body = typeof changed === 'string' ? changed : JSON.stringify(changed);
    return new Response(body, { headers: { 'x-tokenproof-signature': sign(body) } });
  };
  const tokenproof = createTokenproof({ fetch: corrupting, url: emulator.url, secret, timeoutMs: patientMs });
  const fields = { decision: 'prove', account: `0x${'b2'.repeat(20)}` };
  const link = tokenproof.appLink({ requestId: 'r', nonce: 'n' });
  await fetch(link, { method: 'POST', body: new URLSearchParams(fields) });
  await fuzzAnswers({
    name: 'tokenproof',
    rounds: volume(200, 2_000),
    intercept: (changed) => {
      change = changed;
    },
    read: () => tokenproof.readReply('r'),
    isRight: (got, truth) => got.kind === 'unknown' || isDeepStrictEqual(got, truth),
    optional: ['account', 'session_id'],
  });
});
