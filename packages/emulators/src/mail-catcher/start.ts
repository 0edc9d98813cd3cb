import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import { systemClock } from '../clock.ts';
import { refuseForeignHosts } from '../http/refuse-foreign-hosts.ts';
import { type CaughtMessage, Inbox } from './inbox.ts';
import { serveInbox } from './serve-inbox.ts';

export interface MailCatcherOptions {
  /** 0 picks a free port. */
  smtpPort?: number;
  httpPort?: number;
  host?: string;
  /** Refuses senders that do not log in with this. Without it, any sender is accepted. */
  login?: { user: string; password: string };
  /** Offers STARTTLS, with an untrusted certificate. */
  startTls?: boolean;
  clock?: () => Date;
}

export interface MailCatcher {
  smtpUrl: string;
  httpUrl: string;
  /** The last 200 messages, newest first. */
  messages(): readonly CaughtMessage[];
  /** Refuses the next `count` messages with a reply code from 400 to 599, or leaves them without a reply. */
  failNext(count: number, fault?: Fault): void;
  stop(): Promise<void>;
}

/** Starts a mail server that delivers nothing: messages to it can be read over HTTP. */
export async function startMailCatcher(options: MailCatcherOptions = {}): Promise<MailCatcher> {
  const { smtpPort = 0, httpPort = 0, host = '127.0.0.1', clock = systemClock, ...rest } = options;
  const inbox = new Inbox(clock, 200);
  const faults: Fault[] = [];
  const smtp = receiveMail({ inbox, takeFault: () => faults.shift(), ...rest });
  const http = serveInbox(inbox);
  refuseForeignHosts(http);
  const sockets = new Set<Socket>();
  smtp.server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const stop = async () => {
    const closed = Promise.all([close(smtp.server), close(http)]);
    for (const socket of sockets) socket.destroy();
    http.closeAllConnections();
    await closed;
  };

  try {
    await listen(smtp.server, smtpPort, host);
    await listen(http, httpPort, host);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    smtpUrl: `smtp://${addressOf(smtp.server)}`,
    httpUrl: `http://${addressOf(http)}`,
    messages: () => inbox.list(),
    failNext: (count, fault = 451) => {
      if (fault !== 'hang' && !(fault >= 400 && fault <= 599)) {
        throw new RangeError(`A refusal has a code from 400 to 599, not ${fault}.`);
      }
      for (let added = 0; added < count; added += 1) faults.push(fault);
    },
    stop,
  };
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return;
  server.close();
  await once(server, 'close');
}

function addressOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server does not listen on a port.');
  return address.family === 'IPv6' ? `[${address.address}]:${address.port}` : `${address.address}:${address.port}`;
}

/** An SMTP reply code from 400 to 599, or no reply at all. */
export type Fault = number | 'hang';

interface ReceiveOptions {
  inbox: Inbox;
  /** Called once for each incoming message. */
  takeFault: () => Fault | undefined;
  login?: { user: string; password: string };
  /** Offers STARTTLS, with an untrusted certificate. */
  startTls?: boolean;
}

const maxMessageBytes = 1024 * 1024;

/** Creates an SMTP server that puts accepted mail into the inbox. With a login, it refuses all other senders. */
function receiveMail({ inbox, takeFault, login, startTls = false }: ReceiveOptions): SMTPServer {
  const faults = new WeakMap<SMTPServerSession, Fault>();
  const server = new SMTPServer({
    name: 'mail-catcher',
    logger: false,
    size: maxMessageBytes,
    rejectOversized: true,
    disableReverseLookup: true,
    disabledCommands: startTls ? [] : ['STARTTLS'],
    allowInsecureAuth: true,
    authOptional: login === undefined,
    onAuth: ({ username, password }, _session, callback) => {
      const isKnown = login === undefined || (username === login.user && password === login.password);
      callback(isKnown ? null : reply(535, 'Authentication credentials invalid'), { user: username });
    },
    onMailFrom: (_address, session, callback) => {
      const fault = takeFault();
      if (fault === undefined) faults.delete(session);
      else faults.set(session, fault);
      callback();
    },
    onRcptTo: (_address, session, callback) => {
      const fault = faults.get(session);
      if (fault === 'hang') return;
      callback(fault === undefined ? null : reply(fault, 'The mail catcher was told to refuse this message'));
    },
    onData: (stream, { envelope }, callback) => {
      const from = envelope.mailFrom ? envelope.mailFrom.address : '';
      const to = envelope.rcptTo.map(({ address }) => address);
      stream
        .toArray()
        .then((chunks) => (stream.sizeExceeded ? undefined : inbox.add(Buffer.concat(chunks), { from, to })))
        .then(() => callback())
        .catch(() => callback(reply(554, 'The message cannot be read')));
    },
  });
  // A client that disconnects midway is not the server's fault.
  server.on('error', () => undefined);
  return server;
}

function reply(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
