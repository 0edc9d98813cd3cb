import { isIP, type Socket } from 'node:net';
import { type Mail, type Mailer, MailFailed } from '@latchkey/core/ports';
import type { Transporter } from 'nodemailer';

export interface SmtpMailerOptions {
  /** `smtp://user:password@host:587` or `smtps://…`. */
  url: string;
  /** The sender: an address, or a name and an address in angle brackets. */
  from: string;
  /** A message that was not accepted within this time counts as failed. */
  timeoutMs?: number;
  /** Opens the connection to the mail server. */
  connect(target: { host: string; port: number }): Socket;
}

/** Sends mail through a mail server, one connection for each message. */
export function createSmtpMailer({ url, from, timeoutMs = 15_000, connect }: SmtpMailerOptions): Mailer {
  const server = readSmtpUrl(url);
  if (/\p{Cc}/u.test(from)) throw new TypeError('The email sender must be a single line.');
  let transport: Transporter | undefined;
  // The library is loaded with the first mail, because most processes never send one.
  const open = async (): Promise<Transporter> => {
    const { createTransport } = await import('nodemailer');
    transport ??= createTransport({
      ...server,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      getSocket: (_options, done) => {
        opened(connect(server), timeoutMs).then(
          (connection) => done(null, { connection }),
          (error: Error) => done(error),
        );
      },
      disableFileAccess: true,
      disableUrlAccess: true,
    });
    return transport;
  };
  const place = `${server.host}:${server.port}`;

  return {
    async send(mail) {
      checkMail(mail);
      const { to, subject, text, messageId } = mail;
      const message = { from, to, subject, text, ...(messageId !== undefined && { messageId }) };
      const sent = open().then((ready) => ready.sendMail(message));
      await within(timeoutMs, sent, place).catch((error: unknown) => {
        throw error instanceof MailFailed ? error : explain(error, place);
      });
    },
    async tryOut() {
      const tried = open().then((ready) => ready.verify());
      await within(timeoutMs, tried, place).catch((error: unknown) => {
        throw error instanceof MailFailed ? error : explain(error, place);
      });
    },
  };
}

function opened(socket: Socket, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error('Too late.'), { code: 'ETIMEDOUT' })),
      timeoutMs,
    );
    const failed = (error: Error) => {
      clearTimeout(timer);
      reject(error);
    };
    socket.once('error', failed);
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', failed);
      resolve(socket);
    });
  });
}

// Anything that could start a new header, add a recipient or end the message early is refused, not repaired.
function checkMail({ to, subject, messageId }: Mail): void {
  const refuse = (message: string) => new MailFailed(message, { retryable: false });
  if (to.length > 254 || !/^[^\s\p{Cc}@<>()[\]\\,;:"]+@[^\s\p{Cc}@<>()[\]\\,;:"]+$/u.test(to)) {
    throw refuse('The recipient must be one plain e-mail address.');
  }
  if (/\p{Cc}/u.test(subject)) throw refuse('The subject must be one line without control characters.');
  if (messageId !== undefined && !/^<[^\s\p{Cc}<>@]+@[^\s\p{Cc}<>@]+>$/u.test(messageId)) {
    throw refuse('The message id must look like <id@host>.');
  }
}

/** nodemailer limits each step and each idle period, but not their sum. */
async function within(timeoutMs: number, sent: Promise<unknown>, place: string): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const message = `The mail server at ${place} did not accept the message within ${timeoutMs} ms.`;
  const timer = setTimeout(() => reject(new MailFailed(message, { retryable: true })), timeoutMs);
  try {
    await Promise.race([sent, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A library error may quote the message or the login, so only its codes are passed on. */
function explain(error: unknown, place: string): MailFailed {
  const { code, responseCode } = codesOf(error);
  const server = `The mail server at ${place}`;
  const detail = `(${responseCode ?? code})`;
  // The operator can fix a wrong login, and the message can still be sent.
  if (code === 'EAUTH') return new MailFailed(`${server} did not accept the login ${detail}.`, { retryable: true });
  if (code === 'EENVELOPE' || responseCode !== undefined) {
    const retryable = responseCode !== undefined && responseCode < 500;
    return new MailFailed(`${server} refused the message ${retryable ? 'for now' : 'for good'} ${detail}.`, {
      retryable,
    });
  }
  return new MailFailed(`${server} could not be used ${detail}.`, { retryable: true });
}

function codesOf(error: unknown): { code: string; responseCode: number | undefined } {
  if (!(error instanceof Error)) return { code: 'unknown', responseCode: undefined };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  const responseCode =
    'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : undefined;
  return { code, responseCode: responseCode === 0 ? undefined : responseCode };
}

/** The connection to a mail server, in nodemailer's terms. */
interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS if the server offers it. */
  secure: boolean;
  requireTLS: boolean;
  tls: { rejectUnauthorized: boolean };
  auth?: { user: string; pass: string };
}

/**
 * Parses `smtp://user:password@host:587` or `smtps://…`. Certificates are verified, except for a server on this machine. A password is sent
 * to another machine only over TLS: otherwise a man in the middle could hide that the server offers it.
 */
export function readSmtpUrl(text: string): SmtpServer {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    throw new TypeError('The address of the mail server must look like smtp://user:password@host:587 or smtps://…');
  }
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
  const secure = url.protocol === 'smtps:';
  const isLocal = isLoopback(host);
  const auth = url.username === '' ? undefined : { user: decode(url.username), pass: decode(url.password) };
  return {
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    requireTLS: !secure && !isLocal && auth !== undefined,
    tls: { rejectUnauthorized: !isLocal },
    ...(auth && { auth }),
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new TypeError('Write "%" as "%25" in the user name and password of the mail server.');
  }
}
