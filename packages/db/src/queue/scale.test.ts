import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import type { Session } from '../bus/session.ts';
import { setAside, startClaiming } from './claim.ts';
import { extendLeases, freeLostJobs, readyDueJobs, takeIdentity } from './lease.ts';
import { prepareSession } from './presence.ts';
import { kindOf, openQueue, seededRandom, type TestQueue } from './test-kit.ts';

describe('queue: scale', () => {
  let queue: TestQueue;
  let client: pg.Client;
  before(async () => {
    queue = await openQueue('scale');
    client = new pg.Client({ connectionString: queue.url });
    await client.connect();
    // Autovacuum would read pages as well, at unpredictable times.
    await client.query('alter table jobs set (autovacuum_enabled = false)');
  });
  after(async () => {
    await client.end();
    await queue.close();
  });

  const jobs = 60_000;

  test('no worker statement reads more rows when more jobs are waiting', async () => {
    const pages: number[] = [];
    const session = measuring(pages);
    await prepareSession(session);
    const random = seededRandom(1);
    const me = { session, owner: await takeIdentity(session, random) };
    const kinds = ['flood', 'hot', 'crowded'].map((name) => kindOf(name, () => undefined, { maxRunningPerGroup: 1 }));
    const claim = startClaiming(kinds, 30);
    // Plans are made here, for an empty table, and reused.
    await claim(me, 10);
    await setAside(session, []);

    await client.query(
      `insert into jobs (name, payload, state, run_at, key, group_id)
     select name, '{}', state, now() + shift, key, group_id from generate_series(1, $1::int / 4) as n,
     (values ('flood', 'ready', interval '0', null, ''), ('flood', 'delayed', '1 day', null, 'g'),
             ('hot', 'blocked', '0', 'k', ''), ('crowded', 'ready', '0', null, 'h'))
     as kinds (name, state, shift, key, group_id)`,
      [jobs],
    );
    await client.query(
      `insert into jobs (name, payload, key) values ('hot', '{}', 'k'), ('hot', '{}', 'k'), ('hot', '{}', 'free')`,
    );
    pages.length = 0;

    const first = await claim(me, 10);
    assert.ok(first.jobs.length > 5 && first.more);
    assert.equal(first.blocked.length, 2);
    await setAside(session, first.blocked);
    await extendLeases(session, first.jobs, 30);
    await freeLostJobs(session);
    const dueMs = await readyDueJobs(session);
    assert.ok(Number(dueMs) > 80_000_000);
    await claim(me, 10);
    assert.ok(Math.max(...pages) < 400, `pages read by each statement: ${pages}`);
  });

  /** A session that records how many pages each statement reads. */
  function measuring(pages: number[]): Session {
    return {
      query: async <Row extends pg.QueryResultRow>(
        text: string,
        values: unknown[] = [],
        name?: string,
      ): Promise<Row[]> => {
        const before = await pagesRead();
        const { rows } = await client.query<Row>({ text, values, ...(name && { name }) });
        pages.push((await pagesRead()) - before);
        return rows;
      },
    };
  }

  async function pagesRead(): Promise<number> {
    await client.query('select pg_stat_force_next_flush()');
    const { rows } = await client.query<{ pages: number }>(
      `select coalesce(sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read, 0) + coalesce(idx_blks_hit, 0)), 0)::int
     as pages from pg_statio_user_tables where relname = 'jobs'`,
    );
    return rows[0]?.pages ?? 0;
  }
});
