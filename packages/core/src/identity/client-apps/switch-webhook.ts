import { AppError } from '@latchkey/kernel';
import { disableEndpoint, enableEndpoint, resetEndpointSecret } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import { checkText } from './check-fields.ts';
import { assertOperator } from './status.ts';

const noWebhook = () => new AppError('STATE_CONFLICT', 'The client application has no webhook address.');

/** Stops sending events to an application. Pending ones are not sent either, but can be resent later. */
export async function disableWebhook(
  ctx: ChangeContext,
  { id, reason }: { id: string; reason: string },
): Promise<void> {
  assertOperator(ctx.actor);
  checkText('reason', reason);
  await ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (!(await disableEndpoint(ctx, tx, id, reason))) throw noWebhook();
    await change(ctx, tx, app, { action: 'disable-webhook', notes: reason });
  });
}

export async function enableWebhook(ctx: ChangeContext, { id }: { id: string }): Promise<void> {
  assertOperator(ctx.actor);
  await ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (!(await enableEndpoint(tx, id))) throw noWebhook();
    await change(ctx, tx, app, { action: 'enable-webhook' });
  });
}

/** Creates a new signing secret and shows it once: after a leak, or when the operator set the webhook. */
export async function resetWebhookSecret(
  ctx: ChangeContext & Pick<Context, 'keyring'>,
  { id }: { id: string },
): Promise<{ secret: string }> {
  assertOperator(ctx.actor);
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    const secret = await resetEndpointSecret(ctx, tx, { clientId: app.id, ownerId: app.created_by_id });
    await change(ctx, tx, app, { action: 'reset-webhook-secret' });
    return { secret };
  });
}
