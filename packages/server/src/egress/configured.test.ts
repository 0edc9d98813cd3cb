import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { get, type RequestListener } from 'node:http';
import { type TestContext, test } from 'node:test';
import { EgressRefused } from '@latchkey/core/ports';
import { agentTo, connectGuarded, connectTo, createEgress, fetchTo, guardedFetch, permitSocketTo } from './index.ts';
import { listenForIntruders } from './testing/canary.ts';
import { startReceiver } from './testing/receiver.ts';

async function receiverFor(t: TestContext, listener: RequestListener) {
  const receiver = await startReceiver(listener);
  t.after(receiver.close);
  return receiver;
}

async function canaryFor(t: TestContext) {
  const canary = await listenForIntruders();
  t.after(canary.close);
  return canary;
}

/** Collects the targets that egress let pass. */
function listen(t: TestContext): string[] {
  const passed: string[] = [];
  const hear = (report: unknown) => void passed.push(Object.values(Object(report)).join(' '));
  subscribe('latchkey:egress', hear);
  t.after(() => unsubscribe('latchkey:egress', hear));
  return passed;
}

test('a configured host is called at its own address, and no other host, port or scheme', async (t) => {
  const receiver = await receiverFor(t, (request, response) => response.end(`${request.method} ${request.url}`));
  const canary = await canaryFor(t);
  const passed = listen(t);
  const url = `http://127.0.0.1:${receiver.port}/rpc?key=1`;
  const fetch = fetchTo([url]);
  assert.equal(await (await fetch(url, { method: 'POST', body: 'x' })).text(), 'POST /rpc?key=1');
  assert.equal(await (await fetch(new Request(`http://127.0.0.1:${receiver.port}/other`))).text(), 'GET /other');
  assert.deepEqual(passed, Array(2).fill(`configured 127.0.0.1 ${receiver.port}`));
  for (const other of [
    `http://127.0.0.1:${canary.port}/`,
    `http://localhost:${receiver.port}/`,
    `https://127.0.0.1:${receiver.port}/`,
    'https://example.com/',
  ])
    await assert.rejects(fetch(other), EgressRefused, other);
  assert.equal(canary.connections(), 0);
});

test('a configured host that redirects is not followed, not even to itself', async (t) => {
  const canary = await canaryFor(t);
  const receiver = await receiverFor(t, (request, response) => {
    const location = request.url === '/away' ? `http://127.0.0.1:${canary.port}/` : '/';
    response.writeHead(307, { location }).end();
  });
  const base = `http://127.0.0.1:${receiver.port}`;
  const fetch = fetchTo([base]);
  for (const path of ['/away', '/here']) {
    await assert.rejects(fetch(`${base}${path}`));
    await assert.rejects(fetch(`${base}${path}`, { redirect: 'follow' }), path);
    assert.equal((await fetch(`${base}${path}`, { redirect: 'manual' })).status, 307);
  }
  assert.equal(canary.connections(), 0);
});

test('sockets and agents reach only the configured server', async (t) => {
  const receiver = await receiverFor(t, (_, response) => response.end('here'));
  const canary = await canaryFor(t);
  const passed = listen(t);
  const connect = connectTo(`smtp://user:secret@127.0.0.1:${receiver.port}`);
  const socket = connect({ host: '127.0.0.1', port: receiver.port });
  await once(socket, 'connect');
  socket.destroy();
  assert.throws(() => connect({ host: '127.0.0.1', port: canary.port }), EgressRefused);
  assert.throws(() => connect({ host: 'localhost', port: receiver.port }), EgressRefused);
  assert.throws(() => connectTo('smtp://mail.example')({ host: 'mail.example', port: 25 }), EgressRefused);
  const agent = agentTo(`http://127.0.0.1:${receiver.port}`);
  t.after(() => agent.destroy());
  const [answer] = await once(get(`http://127.0.0.1:${receiver.port}/`, { agent }), 'response');
  answer.resume();
  assert.throws(() => get(`http://127.0.0.1:${canary.port}/`, { agent }), EgressRefused);
  assert.deepEqual(passed, Array(2).fill(`configured 127.0.0.1 ${receiver.port}`));
  assert.equal(canary.connections(), 0);
});

test('an address named by a peer is connected to only if it is public', (t) => {
  const passed = listen(t);
  for (const host of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'localhost', 'example.com'])
    assert.throws(() => connectGuarded({ host, port: 443 }), EgressRefused, host);
  connectGuarded({ host: '149.154.167.51', port: 443 })
    .on('error', () => undefined)
    .destroy();
  assert.deepEqual(passed, ['guarded 149.154.167.51 443']);
});

test('a gateway URL is on the configured host, or encrypted and public', async (t) => {
  const passed = listen(t);
  const names: Record<string, string[]> = { 'gateway.discord.gg': ['162.159.130.234'], 'inside.example': ['10.0.0.1'] };
  const permit = permitSocketTo(['http://127.0.0.1:4000/api'], async (name) => names[name] ?? []);
  await permit('ws://127.0.0.1:4001/gateway');
  await permit('wss://gateway.discord.gg');
  for (const url of ['ws://gateway.discord.gg', 'wss://inside.example', 'wss://169.254.169.254', 'wss://[::1]:4001'])
    await assert.rejects(permit(url), EgressRefused, url);
  assert.deepEqual(passed, ['configured 127.0.0.1 4001', 'guarded gateway.discord.gg 443']);
});

test('a library that fetches untrusted URLs passes the guard', async (t) => {
  const receiver = await receiverFor(t, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    response.writeHead(request.url === '/none' ? 204 : 201, { 'x-a': '1' }).end(`${request.method} ${body}`);
  });
  const passed = listen(t);
  const resolve = async () => ['127.0.0.1'];
  const open = guardedFetch(createEgress({ allowPrivate: { hosts: ['receiver.example'] }, resolve }));
  const answer = await open(receiver.url('/'), { method: 'POST', body: 'text', headers: { accept: 'text/plain' } });
  assert.deepEqual([answer.status, answer.headers.get('x-a'), await answer.text()], [201, '1', 'POST text']);
  assert.equal((await open(receiver.url('/none'))).status, 204);
  assert.deepEqual(passed, Array(2).fill(`guarded receiver.example ${receiver.port}`));
  await assert.rejects(guardedFetch(createEgress({ resolve }))(receiver.url('/')), EgressRefused);
});
