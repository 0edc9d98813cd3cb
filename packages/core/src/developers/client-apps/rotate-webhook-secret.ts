import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { resetEndpointSecret } from '../webhooks/index.ts';
import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import type { ClientApplication } from './client-app.ts';
import { getRecord } from './to-record.ts';

/** Makes a new secret that events and calls back are signed with, and shows it once. What is sent from now on is signed with it. */
export async function rotateWebhookSecret(
  ctx: ChangeContext & Pick<Context, 'keyring'>,
  { id }: { id: string },
): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (app.status === 'REVOKED')
      throw new AppError('STATE_CONFLICT', 'A revoked client application gets no new secret.');
    const secret = await resetEndpointSecret(ctx, tx, { clientId: app.id, ownerId: app.created_by_id });
    return getRecord(tx, await change(ctx, tx, app, { action: 'reset-webhook-secret' }), { secret });
  });
}
