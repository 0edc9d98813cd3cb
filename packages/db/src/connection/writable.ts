import pg from 'pg';

/** The connection leads to a standby, or to a server that takes no writes for another reason. */
export class ReadOnlyError extends Error {
  /** PostgreSQL's own code for a write in a read-only transaction. */
  readonly code = '25006';

  constructor() {
    super('This PostgreSQL server does not accept writes: it is a standby or read-only.');
  }
}

/** Refuses a connection to a server that takes no writes, as `target_session_attrs=read-write` does in libpq. */
export async function assertWritable(query: (text: string) => Promise<readonly object[]>): Promise<void> {
  const [row] = await query(`select current_setting('transaction_read_only') as answer`);
  if (row !== undefined && 'answer' in row && row.answer === 'on') throw new ReadOnlyError();
}

/** Whether the server said that it takes no writes. A connection to it is of no use, however long it lives. */
export function isReadOnlyRefusal({ code, message }: { code?: unknown; message?: unknown }): boolean {
  return code === '25006' || (code === '0A000' && /during recovery/.test(String(message)));
}

/** Ends a connection once the server has said that it takes no writes, so that the next one may lead elsewhere. */
export function dropWhenReadOnly(client: pg.ClientBase, dropped: () => void = () => undefined): void {
  if (!(client instanceof pg.Client)) return;
  const { connection } = client;
  connection.on('errorMessage', (refusal: { code?: unknown; message?: unknown }) => {
    if (!isReadOnlyRefusal(refusal)) return;
    dropped();
    // After the caller has received the error.
    setImmediate(() => connection.stream.destroy());
  });
}
