import { isIP } from 'node:net';

/** How to reach a mail server, in the words of nodemailer. */
export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the first byte; otherwise STARTTLS where the server offers it. */
  secure: boolean;
  requireTLS: boolean;
  tls: { rejectUnauthorized: boolean };
  auth?: { user: string; pass: string };
}

/**
 * Reads `smtp://user:password@host:587` or `smtps://…`. Certificates are checked, save for a server on this machine.
 * A password is sent to another machine only over TLS: whoever sits in between could otherwise hide that the server
 * offers it.
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
