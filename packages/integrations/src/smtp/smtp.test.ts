import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { MailFailed } from '@latchkey/core/ports';
import { type MailCatcherOptions, startMailCatcher } from '@latchkey/emulators/mail-catcher';
import { createSmtpMailer, readSmtpUrl } from './index.ts';

const from = 'Latchkey <latchkey@example.com>';
const mail = { to: 'alice@example.com', subject: 'Your code', text: 'The code is 123456.' };

async function catcherFor(t: TestContext, options: MailCatcherOptions = {}) {
  const catcher = await startMailCatcher(options);
  t.after(catcher.stop);
  return catcher;
}

async function failureOf(sent: Promise<void>): Promise<MailFailed> {
  const outcome = await sent.catch((error: unknown) => error);
  assert.ok(outcome instanceof MailFailed, `expected a failure, got ${outcome}`);
  return outcome;
}

test('a message arrives unchanged', async (t) => {
  const catcher = await catcherFor(t);
  const mailer = createSmtpMailer({ connect, url: catcher.smtpUrl, from });
  const text = 'Grüße 🎉\n.\n..two dots\nFrom here = equal\n\nhttps://example.com/?a=b';
  await mailer.send({ ...mail, subject: 'Dein Schlüssel für Köln 🔑', text, messageId: '<otp-1@example.com>' });

  const [caught] = catcher.messages();
  assert.equal(caught?.from, 'latchkey@example.com');
  assert.deepEqual(caught?.to, ['alice@example.com']);
  assert.equal(caught?.subject, 'Dein Schlüssel für Köln 🔑');
  assert.equal(caught?.text.trimEnd(), text);
  assert.equal(caught?.messageId, '<otp-1@example.com>');
});

test('a temporary refusal may be retried, a permanent one may not', async (t) => {
  const catcher = await catcherFor(t);
  const mailer = createSmtpMailer({ connect, url: catcher.smtpUrl, from });
  for (const [code, retryable] of [
    [421, true],
    [451, true],
    [550, false],
    [554, false],
  ] as const) {
    catcher.failNext(1, code);
    const failed = await failureOf(mailer.send(mail));
    assert.equal(failed.retryable, retryable, String(code));
    assert.match(failed.message, new RegExp(`refused the message for (now|good) \\(${code}\\)`));
  }
  await mailer.send(mail);
  assert.equal(catcher.messages().length, 1);
});

test('a server can be tried without a message', async (t) => {
  const catcher = await catcherFor(t);
  await createSmtpMailer({ connect, url: catcher.smtpUrl, from }).tryOut?.();
  assert.deepEqual(catcher.messages(), []);
  await catcher.stop();
  const tried = createSmtpMailer({ connect, url: catcher.smtpUrl, from }).tryOut?.() ?? Promise.resolve();
  assert.match((await failureOf(tried)).message, /^The mail server at 127\.0\.0\.1:\d+ could not be used \(E\w+\)\.$/);
});

test('a server that is down may be retried', async () => {
  const catcher = await startMailCatcher();
  await catcher.stop();
  const failed = await failureOf(createSmtpMailer({ connect, url: catcher.smtpUrl, from }).send(mail));
  assert.ok(failed.retryable);
  assert.match(failed.message, /^The mail server at 127\.0\.0\.1:\d+ could not be used \(E\w+\)\.$/);
});

test('a hanging server times out and may be retried', async (t) => {
  const catcher = await catcherFor(t);
  catcher.failNext(1, 'hang');
  const failed = await failureOf(createSmtpMailer({ connect, url: catcher.smtpUrl, from, timeoutMs: 400 }).send(mail));
  assert.ok(failed.retryable);
  assert.deepEqual(catcher.messages(), []);
});

test('the login is used, and a wrong one is reported without it', async (t) => {
  const password = 'p@ss:w/rd%';
  const catcher = await catcherFor(t, { login: { user: 'app@example.com', password } });
  const urlWith = (secret: string) =>
    catcher.smtpUrl.replace('//', `//${encodeURIComponent('app@example.com')}:${encodeURIComponent(secret)}@`);

  await createSmtpMailer({ connect, url: urlWith(password), from }).send(mail);
  assert.equal(catcher.messages().length, 1);
  const failed = await failureOf(createSmtpMailer({ connect, url: urlWith('wr0ng-secret'), from }).send(mail));
  assert.match(failed.message, /did not accept the login \(535\)/);
  assert.ok(failed.retryable);
});

test('no failure reveals the password or the text', async (t) => {
  const catcher = await catcherFor(t, { login: { user: 'app', password: 'other' } });
  const open = await catcherFor(t);
  open.failNext(1, 550);
  const withLogin = ({ smtpUrl }: { smtpUrl: string }) => smtpUrl.replace('//', '//app:wr0ng-secret@');
  for (const url of [withLogin(catcher), withLogin(open), 'smtp://app:wr0ng-secret@127.0.0.1:1']) {
    const failed = await failureOf(createSmtpMailer({ connect, url, from }).send(mail));
    const everything = [failed.message, failed.stack, JSON.stringify(failed), String(failed.cause)].join('\n');
    assert.doesNotMatch(everything, /wr0ng-secret|123456|alice/);
  }
});

test('nothing in a message can add a header, a recipient or a second message', async (t) => {
  const catcher = await catcherFor(t);
  const mailer = createSmtpMailer({ connect, url: catcher.smtpUrl, from });
  const attacks = [
    { subject: 'Hello\r\nBcc: victim@example.com' },
    { subject: 'Hello\nBcc: victim@example.com' },
    { subject: 'Hello\rX: y' },
    { subject: 'Hello\u0000' },
    { subject: 'Hello\u0085X: y' },
    { to: 'a@example.com\r\nRCPT TO:<victim@example.com>' },
    { to: 'a@example.com\nBcc: victim@example.com' },
    { to: 'a@example.com, victim@example.com' },
    { to: 'a@example.com;victim@example.com' },
    { to: 'Name <victim@example.com>' },
    { to: '"a b"@example.com' },
    { to: 'team:a@example.com;' },
    { to: 'a@b@example.com' },
    { to: 'nobody' },
    { to: '' },
    { to: `${'a'.repeat(250)}@example.com` },
    { messageId: '<x@y>\r\nBcc: victim@example.com' },
    { messageId: 'bare' },
  ];
  for (const attack of attacks) {
    const failed = await failureOf(mailer.send({ ...mail, ...attack }));
    assert.equal(failed.retryable, false, JSON.stringify(attack));
    assert.doesNotMatch(failed.message, /victim/);
  }
  assert.deepEqual(catcher.messages(), []);

  const text = 'one\r\n.\r\nMAIL FROM:<evil@example.com>\r\nRCPT TO:<victim@example.com>\r\nDATA\r\ntwo\r\n.\r\n';
  await mailer.send({ ...mail, text });
  assert.deepEqual(
    catcher.messages().map(({ to }) => to),
    [['alice@example.com']],
  );
});

test('an untrusted certificate is accepted on this machine only', async (t) => {
  const catcher = await catcherFor(t, { startTls: true });
  await createSmtpMailer({ connect, url: catcher.smtpUrl, from }).send(mail);
  assert.equal(catcher.messages().length, 1);

  // The same server under a name that does not count as this machine.
  const { port } = new URL(catcher.smtpUrl);
  const foreign = createSmtpMailer({ connect, url: `smtp://[::ffff:127.0.0.1]:${port}`, from });
  const failed = await failureOf(foreign.send(mail));
  assert.match(failed.message, /could not be used \(E\w+\)/);
  assert.equal(catcher.messages().length, 1);
});

test('the URL of a mail server determines how it is reached', () => {
  assert.deepEqual(readSmtpUrl('smtp://user:p%40ss@mail.example.com'), {
    host: 'mail.example.com',
    port: 587,
    secure: false,
    requireTLS: true,
    tls: { rejectUnauthorized: true },
    auth: { user: 'user', pass: 'p@ss' },
  });
  assert.deepEqual(readSmtpUrl('smtps://[::1]'), {
    host: '::1',
    port: 465,
    secure: true,
    requireTLS: false,
    tls: { rejectUnauthorized: false },
  });
  for (const host of ['127.0.0.1.example.com', 'localhost.example.com', '10.0.0.1', 'relay']) {
    const { tls, requireTLS } = readSmtpUrl(`smtp://${host}:25`);
    assert.deepEqual([tls.rejectUnauthorized, requireTLS], [true, false], host);
  }
});

test('a wrong setting is refused at start, without repeating it', () => {
  for (const url of ['', 'mail.example.com', 'http://user:secret@example.com', 'smtp://', 'smtp://u:secret%@host']) {
    assert.throws(
      () => createSmtpMailer({ connect, url, from }),
      (error: Error) => error instanceof TypeError && !error.message.includes('secret'),
      url,
    );
  }
  const sender = 'a@example.com\r\nBcc: b@example.com';
  assert.throws(() => createSmtpMailer({ connect, url: 'smtp://localhost', from: sender }), /single line/);
});
