import {
  backupMetrics,
  jobMetrics,
  leaseMetrics,
  processMetrics,
  replicationMetrics,
  type Sql,
  scheduleMetrics,
  sql,
} from '@latchkey/db';
import { communityMetrics } from '../../communities/community-records/index.ts';
import { checkMetrics } from '../../communities/reconcile-queue/index.ts';
import { followerMetrics } from '../../gating/followers/index.ts';
import { chainMetrics } from '../../gating/holdings/index.ts';
import { changeSetMetrics } from '../../gating/role-changes/index.ts';
import { ruleMetrics } from '../../gating/rule-health/index.ts';
import { keyMetrics } from '../../identity/credentials/index.ts';
import { nearIndexMetrics } from '../../near/near-indexer/index.ts';
import { spendingMetrics } from '../../services/spending/index.ts';
import { webhookMetrics } from '../../services/webhooks/index.ts';
import type { Settings } from '../../shared/context.ts';
import { shardMetrics } from '../../surfaces/discord-gateway/index.ts';

/** One metric of the installation, from the database: name, label and value. */
export interface StateMetric {
  metric:
    | 'jobs'
    | 'oldest-job'
    | 'change-sets'
    | 'oldest-held-change-set'
    | 'blocked-roles'
    | 'checks'
    | 'oldest-check'
    | 'chain-behind'
    | 'chain-block'
    | 'webhook-deliveries'
    | 'disabled-webhooks'
    | 'processes'
    | 'communities'
    | 'rules'
    | 'work-expected'
    | 'work-held'
    | 'schedule-overdue'
    | 'replication-behind'
    | 'replicas'
    | 'database-size'
    | 'key-expires'
    | 'backup-age'
    | 'drill-age'
    | 'recheck-overdue'
    | 'rechecks-overdue'
    | 'budget-used'
    | 'metrics-age'
    | 'metrics-took';
  label: string;
  value: number;
}

/** What must be taken: it grows with members, jobs and communities. */
const taken = [
  jobMetrics,
  changeSetMetrics,
  checkMetrics,
  chainMetrics,
  webhookMetrics,
  communityMetrics,
  ruleMetrics,
  shardMetrics,
  followerMetrics,
  replicationMetrics,
  keyMetrics,
  backupMetrics,
  nearIndexMetrics,
];

/** What a scrape reads itself: a few rows for each process, also when nothing else works. */
const live = (schedules: readonly string[]) => [processMetrics, leaseMetrics, scheduleMetrics(schedules)];

/** Older ones say nothing about now. */
const keptSeconds = 600;

const union = (parts: readonly ReturnType<typeof scheduleMetrics>[]) => sql.join([...parts], sql` union all `);

/** The statement that takes the metrics. Each module counts its own tables, and reads each of them once at most. */
export const takeStatement = ({ spending }: Pick<Settings, 'spending'> = {}) =>
  union([...taken, spendingMetrics(spending?.budgets ?? {})]);

/** Reads the installation's metrics as they are now, whatever that costs. */
export async function readStateMetrics(
  db: Sql,
  schedules: readonly string[],
  settings: Pick<Settings, 'spending'> = {},
): Promise<StateMetric[]> {
  const { rows } = await sql<StateMetric>`${union(live(schedules))} union all ${takeStatement(settings)}`.execute(db);
  return rows;
}

/** The statement of a scrape. It reads the same number of rows for any number of members. */
export const scrapeStatement = (schedules: readonly string[]) => sql`
  ${union(live(schedules))}
  union all
  select 'metrics-age', '', extract(epoch from now() - taken_at)::float8 from taken_metrics where taken_at is not null
  union all
  select 'metrics-took', '', took_seconds from taken_metrics where taken_at is not null
  union all
  select m.metric, m.label, m.value from taken_metrics,
    lateral jsonb_to_recordset(metrics) as m (metric text, label text, value float8)
  where taken_at > now() - ${keptSeconds} * interval '1 second'`;
