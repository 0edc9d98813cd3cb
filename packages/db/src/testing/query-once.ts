import pg from 'pg';

/** Returns the rows of one statement, over its own connection. */
export async function queryOnce<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A broken connection is reported twice, by the failed statement and by this event, which would end the process
  // without a listener.
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Without values the text may contain several statements.
    return (await (values.length === 0 ? client.query<Row>(text) : client.query<Row>(text, values))).rows;
  } finally {
    await client.end();
  }
}
