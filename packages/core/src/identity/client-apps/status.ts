import { type Actor, AppError, principalId } from '@latchkey/kernel';
import type { ClientAppAction, ClientAppStatus } from './client-app.ts';

const nextStatuses: Readonly<Record<ClientAppStatus, readonly ClientAppStatus[]>> = {
  PENDING: ['APPROVED', 'REJECTED'],
  APPROVED: ['LISTED', 'REVOKED'],
  LISTED: ['APPROVED', 'REVOKED'],
  REJECTED: ['PENDING'],
  REVOKED: [],
};

/** Keys and tokens of an application work only in these statuses. */
export const workingStatuses: readonly ClientAppStatus[] = ['APPROVED', 'LISTED'];

/** Throws unless an application may go from one status to the other. */
export function assertTransition(from: ClientAppStatus, to: ClientAppStatus): void {
  const next = nextStatuses[from];
  if (next.includes(to)) return;
  const choices = next.length === 0 ? 'That is final' : `It can become ${next.join(' or ')}`;
  throw new AppError('STATE_CONFLICT', `The client application is ${from} and cannot become ${to}. ${choices}.`);
}

/** Only the operator and the system may run verbs that review applications, regardless of the caller. */
export function assertOperator(actor: Actor): void {
  if (actor.kind === 'admin' || actor.kind === 'system') return;
  throw new AppError('ROLE_NOT_ALLOWED', 'Only the operator can review client applications.');
}

/** Actions that owners can repeat. */
const ownerActions: readonly string[] = [
  'rename',
  'reset-api-key',
  'roll-api-key',
  'end-old-api-key',
  'reset-client-secret',
  'reset-webhook-secret',
  'set-webhook',
  'remove-webhook',
  'set-origins',
  'set-redirect-uris',
  'set-oauth-settings',
  'request-scopes',
];
const maxOwnerActions = 100;

/**
 * Adds an entry to the audit trail. Only the newest entries of owners are kept, but all of the operator's, so that a
 * decision cannot be displaced from the trail by renaming an application repeatedly.
 */
export function addAction(trail: readonly ClientAppAction[], added: ClientAppAction): ClientAppAction[] {
  const all = [...trail, added];
  let surplus = all.filter(({ action }) => ownerActions.includes(action)).length - maxOwnerActions;
  return all.filter(({ action }) => !ownerActions.includes(action) || surplus-- <= 0);
}

/** Creates an audit entry for the actor's current action. */
export function actionOf(
  ctx: { actor: Actor; clock: () => Date },
  action: string,
  notes: string | undefined = undefined,
): ClientAppAction {
  const line = { action, actionBy: principalId(ctx.actor), timestamp: ctx.clock().toISOString() };
  return notes === undefined ? line : { ...line, notes };
}
