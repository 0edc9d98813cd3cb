import { AppError } from '@latchkey/kernel';
import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import { checkScopes, checkText } from './check-fields.ts';
import type { ClientApplication, ScopesRequest } from './client-app.ts';
import { getRecord } from './to-record.ts';

/** Asks the operator for scopes. Nothing opens by it: what is granted is the operator's to decide. */
export async function requestScopes(
  ctx: ChangeContext,
  { id, body }: { id: string; body: ScopesRequest },
): Promise<ClientApplication> {
  const scopes = checkScopes('scopes', body.scopes);
  const special = scopes.find((scope) => scope.startsWith('$'));
  if (special !== undefined)
    throw new AppError('VALIDATION_FAILED', `The scope ${special} cannot be requested.`, {
      details: [{ path: `/scopes/${scopes.indexOf(special)}`, code: 'rule', message: 'Only the operator gives it.' }],
    });
  const reason = checkText('reason', body.reason) ?? undefined;
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (app.status === 'REVOKED')
      throw new AppError('STATE_CONFLICT', 'A revoked client application gets no new scopes.');
    const notes = [scopes.join(' ') || 'none', reason].filter((part) => part !== undefined).join(': ');
    const columns = { requested_scopes: scopes };
    return getRecord(
      tx,
      await change(ctx, tx, app, { action: 'request-scopes', notes: notes.slice(0, 1000), columns }),
    );
  });
}
