import type { Context } from '../../context.ts';
import { dropEndpoint, findEndpoints, putEndpoint } from '../webhooks/index.ts';
import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import { checkWebhook } from './check-fields.ts';
import type { ClientApplication, WebhookChange } from './client-app.ts';
import { getRecord } from './to-record.ts';

/** Sets where an application hears of events. Only the first secret is shown, since later calls make none. */
export async function setWebhook(
  ctx: ChangeContext & Pick<Context, 'keyring'>,
  { id, body }: { id: string; body: WebhookChange },
): Promise<ClientApplication> {
  const { url, subscribeEvents } = checkWebhook(body);
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    const present = (await findEndpoints(tx, [app.id])).get(app.id);
    const { secret } = await putEndpoint(ctx, tx, {
      clientId: app.id,
      ownerId: app.created_by_id,
      url,
      subscribeEvents: subscribeEvents ?? present?.subscribeEvents ?? [],
    });
    return getRecord(tx, await change(ctx, tx, app, { action: 'set-webhook' }), { secret });
  });
}

export async function removeWebhook(ctx: ChangeContext, { id }: { id: string }): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    await dropEndpoint(tx, app.id);
    return getRecord(tx, await change(ctx, tx, app, { action: 'remove-webhook' }));
  });
}
