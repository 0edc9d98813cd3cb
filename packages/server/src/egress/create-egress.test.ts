import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { EgressFailed, EgressRefused, type EgressRequest } from '@latchkey/core/ports';
import { Agent, fetch } from 'undici';
import { guardedConnector } from './connect.ts';
import { createEgress, type EgressOptions } from './index.ts';
import { listenForIntruders } from './testing/canary.ts';
import { portOf } from './testing/port-of.ts';
import { startReceiver } from './testing/receiver.ts';
import { untrustedCertificate } from './testing/untrusted-certificate.ts';

const resolve = async () => ['127.0.0.1'];
const opened = (options: EgressOptions = {}) =>
  createEgress({ allowPrivate: { hosts: ['receiver.example'] }, resolve, ...options });

async function receiverFor(t: TestContext, listener: RequestListener, tls?: { key: string; cert: string }) {
  const receiver = await startReceiver(listener, tls);
  t.after(receiver.close);
  return receiver;
}

async function failureOf(request: Promise<unknown>): Promise<EgressFailed> {
  const outcome = await request.catch((error: unknown) => error);
  assert.ok(outcome instanceof EgressFailed, `expected a failure, got ${outcome}`);
  return outcome;
}

test('method, path, headers and body arrive, and status, headers and body come back', async (t) => {
  const seen: unknown[] = [];
  const receiver = await receiverFor(t, async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    seen.push(request.method, request.url, request.headers.host, request.headers['x-test'], body);
    response.writeHead(201, { 'x-answer': 'yes', 'set-cookie': ['a=1', 'b=2'] }).end('grüße');
  });

  const url = receiver.url('/hook/a?b=c');
  const answer = await opened().send({ method: 'POST', url, headers: { 'X-Test': '1' }, body: '{"ü":1}' });

  assert.deepEqual(seen, ['POST', '/hook/a?b=c', `receiver.example:${receiver.port}`, '1', '{"ü":1}']);
  assert.equal(answer.status, 201);
  assert.equal(answer.headers['x-answer'], 'yes');
  assert.equal(answer.headers['set-cookie'], 'a=1, b=2');
  assert.equal(Buffer.from(answer.body).toString(), 'grüße');
  await receiver.idle();
});

test('every status is a response, also without a body', async (t) => {
  const receiver = await receiverFor(t, (request, response) => {
    response.writeHead(Number(request.url?.slice(1))).end();
  });
  for (const status of [200, 204, 304, 410, 500, 503]) {
    const answer = await opened().send({ method: 'DELETE', url: receiver.url(`/${status}`) });
    assert.deepEqual([answer.status, answer.body.length], [status, 0]);
  }
});

test('a redirect to loopback is returned, and following it manually is refused', async (t) => {
  const canary = await listenForIntruders();
  t.after(canary.close);
  const receiver = await receiverFor(t, (_, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${canary.port}/secret` }).end();
  });
  const egress = opened();
  const follow = async (url: string): Promise<unknown> => {
    const { status, headers } = await egress.send({ method: 'GET', url });
    return status === 302 ? follow(headers.location ?? '') : status;
  };

  const answer = await egress.send({ method: 'GET', url: receiver.url() });
  assert.deepEqual([answer.status, answer.headers.location], [302, `http://127.0.0.1:${canary.port}/secret`]);
  await assert.rejects(follow(receiver.url()), EgressRefused);
  assert.equal(canary.connections(), 0);
});

test('a client that follows redirects itself meets the filter on every connection', async (t) => {
  const canary = await listenForIntruders();
  t.after(canary.close);
  const targets = [`http://127.0.0.1:${canary.port}/`, `http://other.example:${canary.port}/`];
  if (canary.hasV6) targets.push(`http://[::1]:${canary.port}/`);
  const receiver = await receiverFor(t, (request, response) => {
    response.writeHead(307, { location: targets[Number(request.url?.slice(1))] ?? '/' }).end();
  });
  const isOpened = (hostname: string) => hostname === 'receiver.example';
  const dispatcher = new Agent({ connect: guardedConnector({ isOpened, resolve, timeoutMs: 20_000 }) });
  t.after(() => dispatcher.destroy());

  for (const hop of targets.keys()) {
    const failed = await fetch(receiver.url(`/${hop}`), { dispatcher, redirect: 'follow' }).catch((error) => error);
    assert.ok(failed.cause instanceof EgressRefused, `${targets[hop]}: ${failed}`);
  }
  assert.equal(canary.connections(), 0);
});

test('a receiver that drips its body is cut off at the deadline', async (t) => {
  const receiver = await receiverFor(t, (_, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 10);
    response.on('close', () => clearInterval(drip));
  });
  const failed = await failureOf(opened().send({ method: 'GET', url: receiver.url('/?key=hidden'), timeoutMs: 150 }));
  assert.equal(failed.kind, 'timeout');
  assert.equal(failed.message, `receiver.example:${receiver.port} did not send a complete response within 150 ms.`);
  await receiver.idle();
});

test('a receiver that drips its headers or never responds is cut off at the deadline', async (t) => {
  const dripping = createServer((socket) => {
    socket.on('error', () => undefined).write('HTTP/1.1 200 OK\r\n');
    const drip = setInterval(() => socket.write('x-more: 1\r\n'), 10);
    socket.on('close', () => clearInterval(drip));
  }).listen(0, '127.0.0.1');
  await once(dripping, 'listening');
  t.after(() => dripping.close());
  const silent = await receiverFor(t, () => undefined);

  for (const port of [portOf(dripping), silent.port]) {
    const request = opened({ timeoutMs: 150 }).send({ method: 'GET', url: `http://receiver.example:${port}/` });
    assert.equal((await failureOf(request)).kind, 'timeout');
  }
});

test('a name server that never responds is cut off at the deadline', async () => {
  const egress = createEgress({ resolve: () => new Promise(() => undefined), timeoutMs: 100 });
  assert.equal((await failureOf(egress.send({ method: 'GET', url: 'http://slow.example/' }))).kind, 'timeout');
});

test('a response above the limit is aborted, with or without a declared length', async (t) => {
  const receiver = await receiverFor(t, (request, response) => {
    if (request.url === '/announced') response.setHeader('content-length', 65_537);
    response.write(Buffer.alloc(65_536));
    response.end(Buffer.alloc(1));
  });
  for (const path of ['/announced', '/chunked']) {
    const request: EgressRequest = { method: 'GET', url: receiver.url(path), maxResponseBytes: 65_536 };
    assert.equal((await failureOf(opened().send(request))).kind, 'too_large');
    const { body } = await opened().send({ ...request, maxResponseBytes: 65_537 });
    assert.equal(body.length, 65_537);
  }
  await receiver.idle();
});

test('a compressed response is not decompressed, so a small one cannot grow', async (t) => {
  const packed = Buffer.from('1f8b08000000000000034bcf4fcd07005d8c7a3504000000', 'hex');
  const receiver = await receiverFor(t, (_, response) => response.setHeader('content-encoding', 'gzip').end(packed));
  const { body } = await opened().send({ method: 'GET', url: receiver.url() });
  assert.deepEqual(Buffer.from(body), packed);
});

test('a closed port is a connection failure and a broken response a protocol failure', async () => {
  const server = createServer((socket) =>
    socket
      .on('error', () => undefined)
      .resume()
      .end('SSH-2.0-OpenSSH\r\n'),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);
  const send = (scheme = 'http') =>
    opened().send({ method: 'GET', url: `${scheme}://receiver.example:${port}/?key=1` });

  const broken = await failureOf(send());
  assert.equal(broken.kind, 'protocol');
  assert.match(broken.message, /^receiver\.example:\d+ closed the connection or did not send valid HTTP \(\w+\)\.$/);
  assert.equal((await failureOf(send('https'))).kind, 'connect');
  await new Promise((done) => server.close(done));
  const closed = await failureOf(send());
  assert.equal(closed.kind, 'connect');
  assert.match(closed.message, /^receiver\.example:\d+ could not be reached \(ECONNREFUSED\)\.$/);
});

test('a certificate that no authority signed is not accepted', async (t) => {
  let requests = 0;
  const receiver = await receiverFor(t, (_, response) => response.end(String(++requests)), untrustedCertificate);
  const failed = await failureOf(opened().send({ method: 'POST', url: receiver.url(), body: 'private' }));
  assert.equal(failed.kind, 'connect');
  assert.match(failed.message, /DEPTH_ZERO_SELF_SIGNED_CERT/);
  assert.equal(requests, 0);
});

test('a caller can stop a request, and gets its own reason back', async (t) => {
  const stop = new AbortController();
  const reason = new Error('the lease is lost');
  const receiver = await receiverFor(t, () => stop.abort(reason));
  const send = () => opened().send({ method: 'GET', url: receiver.url(), signal: stop.signal });
  await assert.rejects(send(), reason);
  await assert.rejects(send(), reason, 'an aborted signal stops the next request before it starts');
  await receiver.idle();
});

test('connection headers and headers that smuggle others are refused', async () => {
  const attempts: [name: string, value: string][] = [
    ['Host', 'internal'],
    ['Content-Length', '0'],
    ['transfer-encoding', 'chunked'],
    ['x-a', 'b\r\nx-c: d'],
    ['x-a\r\nx-b', 'c'],
    ['x a', 'b'],
    ['x-a', 'ü→'],
  ];
  for (const [name, value] of attempts) {
    const request: EgressRequest = { method: 'POST', url: 'http://receiver.example/', headers: { [name]: value } };
    const refused = await opened()
      .send(request)
      .catch((error: unknown) => error);
    assert.ok(refused instanceof EgressRefused, JSON.stringify([name, value]));
    assert.equal(refused.reason, 'header');
  }
});
