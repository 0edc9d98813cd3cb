import { type PlanLimits, planLimits, sellsPlans } from '@latchkey/core';
import { AppError } from '@latchkey/kernel';
import type { Server, Visit } from '../visit.ts';

/** If plans are sold, an application may only use the scopes that its organization's plan includes. */
export function requirePlanScopes(visit: Visit, server: Server): Promise<void> | void {
  if (sellsPlans(server.services)) return check(visit, server);
}

async function check({ actor, client, operation }: Visit, { services }: Server): Promise<void> {
  if (!('client' in actor) || actor.client === undefined) return;
  const needed = operation.contract.access.scopes.filter((scope) => scope !== '$public');
  if (needed.length === 0 || actor.client.allowedScopes?.includes('$internal')) return;
  const plan = await planLimits(services, client?.planId);
  if (needed.some((scope) => isIncluded(plan, scope))) return;
  throw new AppError(
    'SCOPE_NOT_ALLOWED',
    `The plan ${plan.name} of this application does not include ${needed.filter((scope) => scope !== '$internal').join(' or ')}.`,
  );
}

function isIncluded({ allowedScopes, disallowedScopes }: PlanLimits, scope: string): boolean {
  const isClosed = disallowedScopes.includes('$all') || disallowedScopes.includes(scope);
  return !isClosed && (allowedScopes === null || allowedScopes.includes('$all') || allowedScopes.includes(scope));
}
