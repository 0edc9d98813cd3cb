import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from '@latchkey/db';
import { volume } from '@latchkey/test-kit';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { type StateMetric, scrapeStatement, takeStatement } from './metrics.ts';
import { scrapeMetrics } from './scrape.ts';

const many = volume(20_000, 1_000_000);
const communities = volume(200, 10_000);
/** Processes, leases and schedules have a few rows each; the metrics themselves are a few dozen. */
const mostRowsOfScrape = 1_000;

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Relation Name'?: string;
  Plans?: Plan[];
}

describe('a scrape of the metrics', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('scrape');
  });
  after(() => t.close());

  /** Returns how many rows a statement read from each table. */
  async function rowsReadBy(statement: ReturnType<typeof takeStatement>): Promise<Map<string, number>> {
    const { rows } = await sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>`explain (analyze, format json) ${statement}`.execute(
      t.services.db.system,
    );
    const read = new Map<string, number>();
    const visit = (plan: Plan) => {
      const name = plan['Relation Name'];
      const count = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
      if (name !== undefined) read.set(name, (read.get(name) ?? 0) + count);
      for (const child of plan.Plans ?? []) visit(child);
    };
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    assert.ok(plan);
    visit(plan);
    return read;
  }

  const total = (read: Map<string, number>) => [...read.values()].reduce((sum, rows) => sum + rows, 0);

  const scrape = async () => {
    const metrics = await scrapeMetrics(t.services, ['test.late']);
    return (metric: StateMetric['metric'], label = '') =>
      metrics.find((one) => one.metric === metric && one.label === label)?.value;
  };

  it('reads the same few rows for any number of members, jobs and communities', async (part) => {
    const { system } = t.services.db;
    await scrape();
    const before = total(await rowsReadBy(scrapeStatement(['test.late'])));
    await sql`insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks,
        created_at, updated_at)
      select 'DIS#COMM#' || n, 'discord', n::text, 'Cats', 'active', 'DIS#USER#1', '{}', true, now(), now()
      from generate_series(1, ${communities}::int) n`.execute(system);
    await sql`insert into reconcile_queue (community_id, user_id, cause, is_requested, role_ids, due_at)
      select 'DIS#COMM#' || (1 + n % ${communities}::int), n::text, 'chain', false, '{}',
        case when n % 4 = 0 then now() + interval '1 hour' end
      from generate_series(1, ${many}::int) n`.execute(system);
    await sql`insert into jobs (name, payload, state, run_at, created_at)
      select 'gating.check', '{}', 'delayed', now() + interval '1 hour', now()
      from generate_series(1, ${many}::int)`.execute(system);
    await sql`analyze`.execute(system);
    await sql`update taken_metrics set taken_at = now() - interval '1 hour'`.execute(system);
    const now = await scrape();
    assert.deepEqual([now('checks', 'due'), now('checks', 'postponed')], [(many * 3) / 4, many / 4]);
    assert.equal(now('communities', 'discord'), communities);

    const after = total(await rowsReadBy(scrapeStatement(['test.late'])));
    const taken = await rowsReadBy(takeStatement());
    part.diagnostic(`a scrape reads ${after} rows (${before} before), taking the metrics ${total(taken)}`);
    assert.ok(after < mostRowsOfScrape, `a scrape read ${after} rows`);
    // Only the metrics that exist now and did not before.
    assert.ok(after <= before + 20, `a scrape read ${after} rows instead of ${before}`);
    for (const [table, rows] of taken)
      if (table === 'reconcile_queue' || table === 'jobs')
        assert.ok(rows <= many + 10, `${table} is read once: ${rows} rows`);
    assert.ok((taken.get('communities') ?? 0) <= 3 * communities + 10);
  });

  it('takes the metrics once for all processes, and no more often than they cost', async () => {
    const { system } = t.services.db;
    const takenAt = async () =>
      (await sql<{ at: string | null }>`select taken_at::text as at from taken_metrics`.execute(system)).rows[0]?.at;
    await sql`update taken_metrics set took_seconds = 30, taken_at = now() - interval '9 minutes'`.execute(system);
    const before = await takenAt();
    const old = await scrape();
    assert.ok((old('metrics-age') ?? 0) >= 540);
    assert.equal(await takenAt(), before, 'they are not old for what they cost');

    // Another process has begun to take them.
    await sql`update taken_metrics set took_seconds = 0, taking_until = now() + interval '1 minute'`.execute(system);
    await scrape();
    assert.equal(await takenAt(), before, 'only one process takes them');
    // It died.
    await sql`update taken_metrics set taking_until = now() - interval '1 second'`.execute(system);
    const now = await scrape();
    assert.notEqual(await takenAt(), before);
    assert.ok((now('metrics-age') ?? 99) < 60);
  });

  it('says nothing about now with metrics of long ago, except how old they are', async () => {
    const { system } = t.services.db;
    await sql`update taken_metrics set taken_at = now() - interval '1 hour', taking_until = now() + interval '1 minute'`.execute(
      system,
    );
    const old = await scrape();
    assert.deepEqual([old('checks', 'due'), old('oldest-job')], [undefined, undefined]);
    assert.equal(Math.round((old('metrics-age') ?? 0) / 3_600), 1);
    assert.equal(old('schedule-overdue'), 0, 'what is read at each scrape is there');
    await sql`update taken_metrics set taking_until = null`.execute(system);
  });
});
