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
    | 'key-expires'
    | 'backup-age'
    | 'recheck-overdue'
    | 'rechecks-overdue'
    | 'budget-used';
  label: string;
  value: number;
}

const parts = [
  jobMetrics,
  processMetrics,
  changeSetMetrics,
  checkMetrics,
  chainMetrics,
  webhookMetrics,
  communityMetrics,
  ruleMetrics,
  leaseMetrics,
  shardMetrics,
  followerMetrics,
  replicationMetrics,
  keyMetrics,
  backupMetrics,
  nearIndexMetrics,
];

/**
 * Reads the installation's metrics, in one statement per scrape: each module counts its own tables, over small ones and
 * partial indexes, so that it stays cheap for any number of members.
 */
export async function readStateMetrics(
  db: Sql,
  schedules: readonly string[],
  { spending }: Pick<Settings, 'spending'> = {},
): Promise<StateMetric[]> {
  const all = [...parts, scheduleMetrics(schedules), spendingMetrics(spending?.budgets ?? {})];
  const { rows } = await sql<StateMetric>`${sql.join(all, sql` union all `)}`.execute(db);
  return rows;
}
