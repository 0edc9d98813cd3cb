import assert from 'node:assert/strict';
import { on } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { type MailCatcherOptions, startMailCatcher } from './index.ts';

async function catcherFor(t: TestContext, options: MailCatcherOptions = {}) {
  const catcher = await startMailCatcher(options);
  t.after(catcher.stop);
  return catcher;
}

/** Speaks SMTP directly: sends each line after the reply to the previous one, and returns the reply codes. */
async function speak(smtpUrl: string, lines: readonly string[]): Promise<number[]> {
  const { hostname, port } = new URL(smtpUrl);
  const socket = connect({ host: hostname, port: Number(port) });
  const codes: number[] = [];
  const toSend = [...lines];
  for await (const reply of createInterface({ input: socket })) {
    if (!/^\d{3} /.test(reply)) continue;
    codes.push(Number(reply.slice(0, 3)));
    const next = toSend.shift();
    if (next === undefined) socket.end();
    else socket.write(`${next}\r\n`);
  }
  return codes;
}

const envelope = ['EHLO test', 'MAIL FROM:<from@example.com>', 'RCPT TO:<to@example.com>'];
const message = (subject: string) => [...envelope, 'DATA', `Subject: ${subject}\r\n\r\nHello\r\n.`, 'QUIT'];

async function get(url: string, method = 'GET'): Promise<[status: number, body: unknown]> {
  const answer = await fetch(url, { method });
  const text = await answer.text();
  return [answer.status, text === '' ? undefined : JSON.parse(text)];
}

test('a message handed over by SMTP can be read over HTTP, newest first', async (t) => {
  const catcher = await catcherFor(t, { clock: () => new Date('2026-01-02T03:04:05Z') });
  assert.deepEqual(await get(`${catcher.httpUrl}/messages`), [200, []]);
  for (const subject of ['first', 'second']) {
    assert.deepEqual(await speak(catcher.smtpUrl, message(subject)), [220, 250, 250, 250, 354, 250, 221]);
  }

  const [, listed] = await get(`${catcher.httpUrl}/messages?limit=5`);
  assert.deepEqual(listed, catcher.messages());
  assert.deepEqual(
    catcher.messages().map(({ subject }) => subject),
    ['second', 'first'],
  );
  const [status, first] = await get(`${catcher.httpUrl}/messages/1`);
  assert.equal(status, 200);
  assert.deepEqual(first, {
    id: '1',
    from: 'from@example.com',
    to: ['to@example.com'],
    subject: 'first',
    text: 'Hello\n',
    messageId: '',
    receivedAt: '2026-01-02T03:04:05.000Z',
  });
});

test('encoded subjects and bodies are shown as people read them, with every recipient', async (t) => {
  const catcher = await catcherFor(t);
  const headers = 'Subject: =?utf-8?B?R3LDvMOfZQ==?=\r\nContent-Type: text/plain; charset=utf-8';
  const body = 'Content-Transfer-Encoding: quoted-printable\r\n\r\nK=C3=B6ln\r\n..dot';
  await speak(catcher.smtpUrl, [
    ...envelope,
    'RCPT TO:<two@example.com>',
    'DATA',
    `${headers}\r\n${body}\r\n.`,
    'QUIT',
  ]);
  const [caught] = catcher.messages();
  assert.deepEqual(
    [caught?.subject, caught?.text, caught?.to],
    ['Grüße', 'Köln\n.dot\n', ['to@example.com', 'two@example.com']],
  );
});

test('messages can be deleted, and unknown paths answer 404 with a hint', async (t) => {
  const catcher = await catcherFor(t);
  await speak(catcher.smtpUrl, message('gone'));
  assert.deepEqual(await get(`${catcher.httpUrl}/messages`, 'DELETE'), [204, undefined]);
  assert.deepEqual(catcher.messages(), []);
  for (const path of ['/', '/messages/1', '/messages/x', '/messages/', '/other']) {
    const [status, body] = await get(`${catcher.httpUrl}${path}`);
    assert.equal(status, 404, path);
    assert.match(JSON.stringify(body), /GET \/messages/);
  }
  assert.equal((await get(`${catcher.httpUrl}/messages`, 'POST'))[0], 404);
});

test('only the last 200 messages are kept', async (t) => {
  const catcher = await catcherFor(t);
  const transaction = message('x').slice(1, -1);
  const replies = await speak(catcher.smtpUrl, ['EHLO test', ...Array(203).fill(transaction).flat(), 'QUIT']);
  assert.equal(replies.filter((code) => code === 354).length, 203);
  const ids = catcher.messages().map(({ id }) => id);
  assert.deepEqual([ids.length, ids[0], ids.at(-1)], [200, '203', '4']);
});

test('on request it refuses that many messages with the given code and then accepts mail again', async (t) => {
  const catcher = await catcherFor(t);
  const once451 = [...envelope, 'RSET', ...envelope.slice(1), 'QUIT'];
  catcher.failNext(1);
  assert.deepEqual(await speak(catcher.smtpUrl, once451), [220, 250, 250, 451, 250, 250, 250, 221]);
  catcher.failNext(2, 550);
  for (const code of [550, 550, 250]) {
    assert.deepEqual(await speak(catcher.smtpUrl, [...envelope, 'QUIT']), [220, 250, 250, code, 221]);
  }
  assert.throws(() => catcher.failNext(1, 200), RangeError);
  assert.deepEqual(catcher.messages(), []);
});

test('with a login, senders without it are refused', async (t) => {
  const catcher = await catcherFor(t, { login: { user: 'app', password: 'right' } });
  const auth = (password: string) => `AUTH PLAIN ${Buffer.from(`\0app\0${password}`).toString('base64')}`;
  assert.deepEqual(
    await speak(catcher.smtpUrl, ['EHLO test', 'MAIL FROM:<a@example.com>', 'QUIT']),
    [220, 250, 530, 221],
  );
  assert.deepEqual(await speak(catcher.smtpUrl, ['EHLO test', auth('wrong'), 'QUIT']), [220, 250, 535, 221]);
  assert.deepEqual(await speak(catcher.smtpUrl, ['EHLO test', auth('right'), 'QUIT']), [220, 250, 235, 221]);
});

test('a message above 1 MiB is refused', async (t) => {
  const catcher = await catcherFor(t);
  const line = `${'x'.repeat(900)}\r\n`;
  const codes = await speak(catcher.smtpUrl, [...envelope, 'DATA', `\r\n${line.repeat(1_200)}.`, 'QUIT']);
  assert.deepEqual(codes.slice(-2), [552, 221]);
  assert.deepEqual(catcher.messages(), []);
});

test('it stops at once, even with a hanging client, and releases its ports', async () => {
  const catcher = await startMailCatcher();
  const { port } = new URL(catcher.smtpUrl);
  catcher.failNext(1, 'hang');
  const client = connect({ port: Number(port), host: '127.0.0.1' }).on('error', () => undefined);
  let received = '';
  for await (const chunk of on(client, 'data')) {
    if (received === '') client.write(`${envelope.join('\r\n')}\r\n`);
    received += chunk;
    // The sender was accepted, and the recipient gets no reply.
    if (/^250 .*\r\n250 .*\r\n$/m.test(received)) break;
  }
  await catcher.stop();
  const again = await startMailCatcher({ smtpPort: Number(port) });
  assert.equal(new URL(again.smtpUrl).port, port);
  await assert.rejects(startMailCatcher({ smtpPort: Number(port) }), { code: 'EADDRINUSE' });
  await again.stop();
});
