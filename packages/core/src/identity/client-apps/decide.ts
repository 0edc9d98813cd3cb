import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import { checkScopes, checkText } from './check-fields.ts';
import type { ClientApplication, ClientAppStatus } from './client-app.ts';
import { assertOperator, assertTransition } from './status.ts';
import { getRecord } from './to-record.ts';

export const decisions = {
  approve: 'APPROVED',
  reject: 'REJECTED',
  revoke: 'REVOKED',
  list: 'LISTED',
} as const satisfies Record<string, ClientAppStatus>;
export type Decision = keyof typeof decisions;

export interface Decide {
  id: string;
  decision: Decision;
  /** The scopes to grant. Defaults to those granted before. */
  scopes?: readonly string[] | undefined;
  notes?: string | undefined;
}

/** Applies the operator's decision about an application. */
export async function decideClientApp(
  ctx: ChangeContext,
  { id, decision, scopes, notes }: Decide,
): Promise<ClientApplication> {
  assertOperator(ctx.actor);
  const status = decisions[decision];
  const columns: { allowed_scopes?: string[] } =
    scopes === undefined ? {} : { allowed_scopes: checkScopes('allowedScopes', scopes) };
  const reason = checkText('notes', notes) ?? undefined;
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    const isOtherGrant =
      app.status === status && !isSameList(columns.allowed_scopes ?? app.allowed_scopes, app.allowed_scopes);
    // Repeating a decision would change nothing, but still add an audit entry.
    if (!isOtherGrant) assertTransition(app.status, status);
    return getRecord(tx, await change(ctx, tx, app, { action: decision, notes: reason, status, columns }));
  });
}

function isSameList(some: readonly string[], others: readonly string[]): boolean {
  return some.length === others.length && some.every((one) => others.includes(one));
}
