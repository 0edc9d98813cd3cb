import type pg from 'pg';

const looks = 8;

/**
 * Whether a pooler gives the statements of one client to several connections of the server, so that nothing set, held or
 * listened to on it stays. True only when that was seen: two open connections never have the same server process, and one
 * connection never changes its own.
 */
export async function isSharedByOthers(client: pg.Client, openSecond: () => Promise<pg.Client>): Promise<boolean> {
  const first = await serverProcess(client);
  // PostgreSQL says at the opening which process serves it. A pooler has none then, and says something else.
  if (first === Reflect.get(client, 'processID')) return false;
  for (let look = 0; look < looks; look += 1) if ((await serverProcess(client)) !== first) return true;
  const second = await openSecond();
  try {
    await second.query('begin');
    return (await serverProcess(second)) === first || (await serverProcess(client)) !== first;
  } finally {
    await second.end();
  }
}

async function serverProcess(client: pg.Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}
