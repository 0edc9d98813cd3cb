import { once } from 'node:events';
import type pg from 'pg';

// pg supports all of PostgreSQL's protocol except COPY, for which it lets a query object handle the messages itself.

/** Runs `copy … to stdout`, and passes on the chunks. Waits for `take` before it reads more. */
export async function copyOut(
  client: pg.Client,
  statement: string,
  take: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  const { stream } = client.connection;
  let taken = Promise.resolve();
  let waiting = 0;
  await run(client, statement, {
    handleCopyData: ({ chunk }) => {
      waiting += 1;
      stream.pause();
      taken = taken
        .then(() => take(Buffer.from(chunk)))
        .finally(() => {
          waiting -= 1;
          if (waiting === 0) stream.resume();
        });
      taken.catch(() => undefined);
    },
  });
  await taken;
}

/** Runs `copy … from stdin` with these chunks. If they end with an error, so does the statement. */
export async function copyIn(client: pg.Client, statement: string, chunks: AsyncIterable<Buffer>): Promise<void> {
  const { stream } = client.connection;
  let cause: unknown;
  await run(client, statement, {
    handleCopyInResponse: async () => {
      try {
        for await (const chunk of chunks) if (!stream.write(frame('d', chunk))) await drained(client);
        stream.write(frame('c', Buffer.alloc(0)));
      } catch (error) {
        cause = error;
        stream.write(frame('f', Buffer.from('The source ended early.\0')));
      }
    },
  }).catch((error: unknown) => {
    throw cause ?? error;
  });
}

/** A connection that breaks never drains. */
async function drained(client: pg.Client): Promise<void> {
  const { stream } = client.connection;
  if (stream.destroyed) throw new Error('The connection to the database was lost.');
  const gone = new AbortController();
  try {
    await Promise.race([
      once(stream, 'drain', { signal: gone.signal }),
      once(stream, 'close', { signal: gone.signal }).then(() => {
        throw new Error('The connection to the database was lost.');
      }),
    ]);
  } finally {
    gone.abort();
  }
}

function frame(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type, 0);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

interface CopyHandlers {
  handleCopyData?(message: { chunk: Uint8Array }): void;
  handleCopyInResponse?(): void;
}

function run(client: pg.Client, statement: string, handlers: CopyHandlers): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query({
      submit: (connection: pg.Connection) => connection.query(statement),
      handleError: reject,
      handleReadyForQuery: () => resolve(),
      handleCommandComplete: () => undefined,
      handleRowDescription: () => undefined,
      handleDataRow: () => undefined,
      handleEmptyQuery: () => undefined,
      handlePortalSuspended: () => undefined,
      ...handlers,
    });
  });
}
