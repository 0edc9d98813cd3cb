import type { Tx } from '@latchkey/db';
import type { PlanLimits } from '../../services/subscription-plans/index.ts';
import type { Context } from '../../shared/context.ts';
import { planOfOrganization } from '../organizations/index.ts';
import { countApps, findApp } from './queries.ts';

/**
 * Returns what the plan of an application allows and how many applications count against it; undefined if the caller
 * does not own the application.
 */
export async function findPlanOfApp(
  ctx: Pick<Context, 'actor' | 'clock' | 'db'>,
  tx: Tx,
  id: string,
): Promise<{ plan: PlanLimits; apps: number; keyMadeAt: Date } | undefined> {
  const app = await findApp(tx, id);
  if (app === undefined) return undefined;
  const organizationId = app.organization_id ?? undefined;
  return {
    plan: await planOfOrganization(ctx, tx, organizationId),
    apps: await countApps(tx, app.created_by_id, organizationId),
    keyMadeAt: app.api_key_made_at ?? app.created_at,
  };
}
