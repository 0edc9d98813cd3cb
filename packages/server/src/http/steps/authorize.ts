import { contextFor, type PlanLimits, planLimits, sellsPlans } from '@latchkey/core';
import { AppError, mayCallFrom, mayCallFromAnywhere, notFound, type PageCaller, refuse } from '@latchkey/kernel';
import { isFromElsewhere } from '../../console/index.ts';
import { originKindOf, pageCallerOf } from '../origins.ts';
import type { Server, Visit } from '../visit.ts';

/** Refuses callers without access as if the object did not exist: the response is the same as for an unknown id. */
export async function requireAdmission(visit: Visit, server: Server): Promise<void> {
  const { object } = visit.operation.contract.access;
  if (object === undefined) return;
  const admits = object.admits as (ctx: unknown, id: string) => Promise<boolean>;
  const isAdmitted = await admits(contextFor(server.services, visit.actor), String(visit.input[object.param]));
  if (!isAdmitted) throw notFound(object.what);
}

/** Refuses a credential on a page that it may not be used on, by the table `callingPages`. */
export function requireOrigin(visit: Visit, server: Server): Promise<void> | undefined {
  const caller = pageCallerOf(visit);
  if (caller === 'console' && isFromElsewhere(visit.request)) throw foreignPage(caller);
  if (visit.request.headers.origin === undefined || mayCallFromAnywhere(caller)) return undefined;
  return refuseForeignPage(caller, visit, server);
}

async function refuseForeignPage(caller: PageCaller, visit: Visit, server: Server): Promise<void> {
  if (mayCallFrom(caller, await originKindOf(visit, server))) return;
  throw foreignPage(caller);
}

function foreignPage(caller: PageCaller): AppError {
  return new AppError('CLIENT_NOT_ALLOWED', refusals[caller] ?? 'Calls from this origin are not accepted.');
}

const refusals: Readonly<Partial<Record<PageCaller, string>>> = {
  'restricted-application':
    'This client application does not accept calls from this origin. Its owner can add it to allowedOrigins.',
  person:
    'No approved client application lists this origin in allowedOrigins. Register it, or send an API key with the token.',
  operator: 'The operator’s key is accepted only from pages of this server and its documentation portal.',
  console: 'The console session is accepted only from pages of this server.',
};

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

/** Checks role and scopes, before any object is read. */
export function requireScopes(visit: Visit): void {
  const refusal = refuse(visit.operation.contract.access, visit.actor);
  if (refusal !== undefined) throw new AppError(refusal.code, refusal.message);
}
