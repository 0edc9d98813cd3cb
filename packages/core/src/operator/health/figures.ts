import { jobFigures, processFigures, type Sql, sql } from '@latchkey/db';
import { communityFigures } from '../../communities/community/index.ts';
import { checkFigures } from '../../communities/reconcile-queue/index.ts';
import { chainFigures } from '../../gating/holdings/index.ts';
import { planFigures } from '../../gating/role-changes/index.ts';
import { webhookFigures } from '../../services/webhooks/index.ts';

/** One figure of the installation as the database shows it: which, of what, how much. */
export interface StateFigure {
  figure:
    | 'jobs'
    | 'oldest-job'
    | 'plans'
    | 'oldest-held-plan'
    | 'stopped-roles'
    | 'checks'
    | 'oldest-check'
    | 'chain-behind'
    | 'chain-block'
    | 'webhook-deliveries'
    | 'disabled-webhooks'
    | 'processes'
    | 'communities';
  label: string;
  value: number;
}

const parts = [jobFigures, processFigures, planFigures, checkFigures, chainFigures, webhookFigures, communityFigures];

/**
 * What the installation's metrics need of the database, in one statement per scrape: each feature counts its own tables,
 * over small ones and partial indexes, so that it stays cheap however many members there are.
 */
export async function readStateFigures(db: Sql): Promise<StateFigure[]> {
  const { rows } = await sql<StateFigure>`${sql.join(parts, sql` union all `)}`.execute(db);
  return rows;
}
