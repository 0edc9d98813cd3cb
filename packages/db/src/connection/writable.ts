import pg from 'pg';

/** The connection is to a standby, or to a server that is read-only for another reason. */
export class ReadOnlyError extends Error {
  /** PostgreSQL's own code for a write in a read-only transaction. */
  readonly code = '25006';

  constructor() {
    super('This PostgreSQL server does not accept writes: it is a standby or read-only.');
  }
}

/** Refuses a connection to a server that does not accept writes, like `target_session_attrs=read-write` in libpq. */
export async function assertWritable(query: (text: string) => Promise<readonly object[]>): Promise<void> {
  const [row] = await query(`select current_setting('transaction_read_only') as answer`);
  if (row !== undefined && 'answer' in row && row.answer === 'on') throw new ReadOnlyError();
}

/** Whether the server reported that it is read-only. A connection to it is useless, however long it lives. */
export function isReadOnlyRefusal({ code, message }: { code?: unknown; message?: unknown }): boolean {
  return code === '25006' || (code === '0A000' && /during recovery/.test(String(message)));
}

/**
 * Ends a connection once the server has reported that it is read-only, so that the next one may reach another server.
 */
export function dropWhenReadOnly(client: pg.ClientBase, dropped: () => void = () => undefined): void {
  if (!(client instanceof pg.Client)) return;
  const { connection } = client;
  connection.on('errorMessage', (refusal: { code?: unknown; message?: unknown }) => {
    if (!isReadOnlyRefusal(refusal)) return;
    dropped();
    // Runs after the caller has received the error.
    setImmediate(() => connection.stream.destroy());
  });
}
