import { connect, createServer, type Socket } from 'node:net';

export interface TransactionPooler extends AsyncDisposable {
  /** The URL of the same database through the pooler. */
  url: string;
  /** How many transactions were served. */
  served(): number;
}

/** The startup parameters that PgBouncer accepts; it refuses all others. */
const known = new Set(['user', 'database', 'application_name', 'client_encoding']);
const idle = 'I'.charCodeAt(0);
const ready = 'Z'.charCodeAt(0);
const goodbye = 'X'.charCodeAt(0);

/**
 * An emulator of PgBouncer in transaction mode: clients share a few server connections, and each transaction gets the
 * one that has been idle longest. `url` must be of the embedded server.
 */
export async function startTransactionPooler(url: string, size: number): Promise<TransactionPooler> {
  const { username, pathname, searchParams } = new URL(url);
  const socketPath = `${searchParams.get('host')}/.s.PGSQL.5432`;
  const opening = startupPacket({ user: username, database: pathname.slice(1) });
  const resting = await Promise.all(Array.from({ length: size }, () => openUpstream(socketPath, opening)));
  const waiting: ((upstream: Upstream) => void)[] = [];
  const clients = new Set<Socket>();
  let transactions = 0;
  const take = () => {
    const upstream = resting.shift();
    return upstream ? Promise.resolve(upstream) : new Promise<Upstream>((resolve) => waiting.push(resolve));
  };
  const giveBack = (upstream: Upstream) => {
    transactions += 1;
    const next = waiting.shift();
    if (next) next(upstream);
    else resting.push(upstream);
  };

  const server = createServer((client) => {
    clients.add(client);
    client.setNoDelay();
    client.on('error', () => undefined);
    let upstream: Promise<Upstream> | undefined;
    let isOpen = false;
    client.on('data', async (chunk) => {
      if (!isOpen) {
        isOpen = true;
        client.write(greet(chunk));
        return;
      }
      if (chunk[0] === goodbye) return void client.end();
      upstream ??= take();
      const taken = await upstream;
      taken.send(chunk, {
        hear: (answer) => client.write(answer),
        rest: () => {
          upstream = undefined;
          giveBack(taken);
        },
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The pooler has no port.');
  return {
    url: `postgres://${username}@127.0.0.1:${address.port}${pathname}?sslmode=disable`,
    served: () => transactions,
    [Symbol.asyncDispose]: async () => {
      for (const client of clients) client.destroy();
      for (const upstream of resting) upstream.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Listener {
  hear(answer: Buffer): void;
  /** The transaction has ended. */
  rest(): void;
}

interface Upstream {
  send(chunk: Buffer, listener: Listener): void;
  close(): void;
}

async function openUpstream(path: string, opening: Buffer): Promise<Upstream> {
  const socket = connect(path);
  const opened = Promise.withResolvers<void>();
  let listener: Listener = { hear: () => undefined, rest: () => opened.resolve() };
  let kept = Buffer.alloc(0);
  socket.on('error', opened.reject);
  socket.on('data', (chunk) => {
    kept = Buffer.concat([kept, chunk]);
    while (kept.length >= 5 && kept.length > kept.readInt32BE(1)) {
      const message = kept.subarray(0, kept.readInt32BE(1) + 1);
      kept = kept.subarray(message.length);
      const current = listener;
      current.hear(message);
      if (message[0] === ready && message[5] === idle) current.rest();
    }
  });
  socket.write(opening);
  await opened.promise;
  return {
    send: (chunk, next) => {
      listener = next;
      socket.write(chunk);
    },
    close: () => socket.destroy(),
  };
}

function startupPacket(settings: Record<string, string>): Buffer {
  const words = `${Object.entries(settings).flat().join('\0')}\0\0`;
  const packet = Buffer.alloc(8 + Buffer.byteLength(words));
  packet.writeInt32BE(packet.length, 0);
  packet.writeInt32BE(196_608, 4);
  packet.write(words, 8);
  return packet;
}

function greet(packet: Buffer): Buffer {
  const names = packet
    .subarray(8)
    .toString()
    .split('\0')
    .filter((_, at) => at % 2 === 0);
  const stranger = names.find((name) => name !== '' && !known.has(name));
  if (stranger !== undefined)
    return message('E', Buffer.from(`SFATAL\0C08P01\0Munsupported startup parameter: ${stranger}\0\0`));
  return Buffer.concat([
    message('R', Buffer.alloc(4)),
    message('K', Buffer.from([0, 0, 0, 1, 0, 0, 0, 1])),
    message('Z', Buffer.from('I')),
  ]);
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
