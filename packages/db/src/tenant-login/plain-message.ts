import pg from 'pg';

/**
 * What a connection sends as a simple query, one after the other. Of each answer only what was said last is kept: the
 * first column of a row or else the first command that was done. A query of pg would build a result for each statement.
 */
export class PlainMessage extends pg.Query {
  readonly #client: pg.Client;
  #bytes: Buffer | undefined;
  #said = '';
  #waiting: PromiseWithResolvers<string> | undefined;

  constructor(client: pg.PoolClient) {
    super('');
    this.#client = client;
  }

  /** The message before must have been answered. */
  send(bytes: Buffer): Promise<string> {
    this.#bytes = bytes;
    this.#said = '';
    this.#waiting = Promise.withResolvers<string>();
    this.#client.query(this);
    return this.#waiting.promise;
  }

  /** The same, in one write with what is asked of the connection in this turn of the process. */
  sendAhead(bytes: Buffer): Promise<string> {
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => stream.uncork());
    const answered = this.send(bytes);
    // Whoever sent it looks at the answer later than it may come.
    answered.catch(() => undefined);
    return answered;
  }

  // Below is what pg calls, in place of what its own queries do.
  override submit = ({ stream }: pg.Connection): null => {
    stream.write(this.#bytes);
    return null;
  };

  handleRowDescription(): void {}

  handleDataRow({ fields: [first] }: { fields: readonly (string | null)[] }): void {
    this.#said = first ?? '';
  }

  handleCommandComplete({ text }: { text: string }): void {
    if (this.#said === '') this.#said = text;
  }

  handleReadyForQuery(): void {
    this.#waiting?.resolve(this.#said);
  }

  handleError(error: Error): void {
    this.#waiting?.reject(error);
  }
}

/** The letter, the length and the text with a zero behind it (PostgreSQL’s protocol 3, Query). */
export function plainQuery(text: string): Buffer {
  if (text.includes('\0')) throw new Error('A statement cannot hold a NUL.');
  const length = Buffer.byteLength(text);
  const bytes = Buffer.allocUnsafe(length + 6);
  bytes.write('Q');
  bytes.writeInt32BE(length + 5, 1);
  bytes.write(text, 5);
  bytes.writeUInt8(0, length + 5);
  return bytes;
}
