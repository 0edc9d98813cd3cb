import { SMTPServer, type SMTPServerSession } from 'smtp-server';
import type { Inbox } from './inbox.ts';

/** An SMTP reply code from 400 to 599, or no reply at all. */
export type Fault = number | 'hang';

export interface ReceiveOptions {
  inbox: Inbox;
  /** Asked once for each message that is about to come. */
  takeFault: () => Fault | undefined;
  login?: { user: string; password: string };
  /** Offers STARTTLS, with a certificate that nobody trusts. */
  startTls?: boolean;
}

const maxMessageBytes = 1024 * 1024;

/** An SMTP server that puts what it takes into the inbox. With a login, it takes nothing from anybody else. */
export function receiveMail({ inbox, takeFault, login, startTls = false }: ReceiveOptions): SMTPServer {
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
  // A client that hangs up in the middle is no fault of the server's.
  server.on('error', () => undefined);
  return server;
}

function reply(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
