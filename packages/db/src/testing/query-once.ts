import pg from 'pg';

/** The rows of one statement, over a connection of its own. */
export async function queryOnce<Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  // A connection that breaks says so twice, by the statement that failed and by this event, which ends the process
  // if nobody hears it.
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Without values the text may hold several statements.
    return (await (values.length === 0 ? client.query<Row>(text) : client.query<Row>(text, values))).rows;
  } finally {
    await client.end();
  }
}
