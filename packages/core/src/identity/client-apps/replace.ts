import type { Tx } from '@latchkey/db';
import { dropEndpoint, putEndpoint } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import { change, getAppForUpdate } from './change.ts';
import { checkFields, checkScopes, checkText, operatorGrantTypes } from './check-fields.ts';
import type { ClientApplication } from './client-app.ts';
import type { StoredClientApp } from './queries.ts';
import { toColumns } from './register.ts';
import { assertOperator } from './status.ts';

type ReplaceContext = Pick<Context, 'actor' | 'tx' | 'clock' | 'random' | 'keyring'>;

/**
 * Puts the operator's version of an application in place of the present one: what the body leaves out is emptied. Who
 * made it, its organization, its secrets and its audit trail are not the body's to set.
 */
export async function replace(
  ctx: ReplaceContext,
  { id, body }: { id: string; body: ClientApplication },
): Promise<void> {
  assertOperator(ctx.actor);
  const fields = checkFields(body, operatorGrantTypes);
  const columns = {
    ...toColumns(fields),
    tenant: checkText('tenant', body.tenant),
    requested_scopes: checkScopes('requestedScopes', body.requestedScopes),
    allowed_scopes: checkScopes('allowedScopes', body.allowedScopes),
    disallowed_scopes: checkScopes('disallowedScopes', body.disallowedScopes),
    // A client that is no longer confidential must not go on with a secret.
    ...(fields.clientType === 'confidential' ? {} : { client_secret_hash: null }),
  };
  await ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    // The webhook comes first, so that a change of status is told to the new address.
    await replaceWebhook(ctx, tx, app, fields);
    await change(ctx, tx, app, { action: 'replace', status: body.status, columns });
  });
}

async function replaceWebhook(
  ctx: ReplaceContext,
  tx: Tx,
  app: StoredClientApp,
  { webhookUrl, subscribeEvents }: { webhookUrl: string | null; subscribeEvents: string[] },
): Promise<void> {
  if (webhookUrl === null) return dropEndpoint(tx, app.id);
  await putEndpoint(ctx, tx, { clientId: app.id, ownerId: app.created_by_id, url: webhookUrl, subscribeEvents });
}
