import { jobMetrics, processMetrics, type Sql, sql } from '@latchkey/db';
import { communityMetrics } from '../../communities/community-records/index.ts';
import { checkMetrics } from '../../communities/reconcile-queue/index.ts';
import { chainMetrics } from '../../gating/holdings/index.ts';
import { changeSetMetrics } from '../../gating/role-changes/index.ts';
import { ruleMetrics } from '../../gating/rule-health/index.ts';
import { webhookMetrics } from '../../services/webhooks/index.ts';

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
    | 'rules';
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
];

/**
 * Reads the installation's metrics, in one statement per scrape: each module counts its own tables, over small ones and
 * partial indexes, so that it stays cheap for any number of members.
 */
export async function readStateMetrics(db: Sql): Promise<StateMetric[]> {
  const { rows } = await sql<StateMetric>`${sql.join(parts, sql` union all `)}`.execute(db);
  return rows;
}
