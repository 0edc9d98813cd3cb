import { setTimeout as delay } from 'node:timers/promises';
import { type Sql, sql } from '@latchkey/db';
import type { Services, Settings } from '../../shared/context.ts';
import { type StateMetric, scrapeStatement, takeStatement } from './metrics.ts';

/** Taking the metrics may use this share of the time of one connection. */
const shareOfTime = 1 / 20;
/** A process that died while it took them blocks the others no longer than this. */
const longestTakeSeconds = 60;
/** A scrape waits for metrics that are being taken, where that is quick: in small installations they are always of now. */
const patienceMs = 500;

type Source = Pick<Services, 'log'> & { db: Pick<Services['db'], 'system'>; settings: Pick<Settings, 'spending'> };

/** The takes of this process that are under way. */
const underWay = new WeakMap<Sql, Promise<void>>();

/**
 * Reads the installation's metrics for a scrape. What grows with the installation was taken by one process at a time, and is read from
 * where that one kept it; if that was long ago compared with what it cost, it is taken again in the background.
 */
export async function scrapeMetrics(source: Source, schedules: readonly string[]): Promise<StateMetric[]> {
  const { system } = source.db;
  const read = async () => (await sql<StateMetric>`${scrapeStatement(schedules)}`.execute(system)).rows;
  const found = await read();
  const find = (name: StateMetric['metric']) => found.find(({ metric }) => metric === name)?.value;
  const [ageSeconds, tookSeconds] = [find('metrics-age'), find('metrics-took')];
  if (ageSeconds !== undefined && tookSeconds !== undefined && ageSeconds * shareOfTime < tookSeconds) return found;
  const taking = underWay.get(system) ?? take(source).finally(() => underWay.delete(system));
  underWay.set(system, taking);
  const isQuick = tookSeconds === undefined || tookSeconds * 1000 < patienceMs;
  if (!isQuick) return found;
  const late = new AbortController();
  await Promise.race([
    taking,
    delay(patienceMs, undefined, { signal: late.signal, ref: false }).catch(() => undefined),
  ]);
  late.abort();
  return read();
}

/** Takes the metrics and keeps them, unless another process is doing so. */
async function take({ db: { system }, settings, log }: Source): Promise<void> {
  try {
    const mine = await sql`
      insert into taken_metrics (id, taking_until) values (1, now() + ${longestTakeSeconds} * interval '1 second')
      on conflict (id) do update set taking_until = excluded.taking_until
        where taken_metrics.taking_until is null or taken_metrics.taking_until < now()
      returning id`.execute(system);
    if (mine.rows.length === 0) return;
    await system.transaction().execute(async (tx) => {
      await sql`select set_config('statement_timeout', ${`${longestTakeSeconds}s`}, true)`.execute(tx);
      await sql`
        with found as materialized (select coalesce(jsonb_agg(m), '[]') as metrics from (${takeStatement(settings)}) m)
        update taken_metrics set taking_until = null, taken_at = now(), metrics = found.metrics,
          took_seconds = extract(epoch from clock_timestamp() - transaction_timestamp())
        from found`.execute(tx);
    });
  } catch (error) {
    log.for('metrics').warn('The metrics of the installation could not be taken; the next scrape tries again.', {
      reason: error instanceof Error ? error.message : String(error),
    });
  }
}
