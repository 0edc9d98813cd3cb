import { AppError, shape, T, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { findEndpoints, resetEndpointSecret } from '../webhooks/index.ts';
import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import type { ClientApplication } from './client-app.ts';
import { overlapEnd, overlapSeconds } from './overlap.ts';
import { getRecord } from './to-record.ts';

export const SecretRotation = shape(
  T.Object({
    oldSecretEndsInSeconds: overlapSeconds(
      'For how many seconds messages are signed with the old secret too, so that receivers that have not changed yet accept them. Defaults to 0.',
    ),
  }),
);

/** Makes a new secret that events and calls back are signed with, and shows it once. What is sent from now on is signed with it. */
export async function rotateWebhookSecret(
  ctx: ChangeContext & Pick<Context, 'keyring'>,
  { id, body }: { id: string; body?: ValueOf<typeof SecretRotation> | undefined },
): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (app.status === 'REVOKED')
      throw new AppError('STATE_CONFLICT', 'A revoked client application gets no new secret.');
    const present = (await findEndpoints(tx, [app.id])).get(app.id);
    const oldEndsAt = overlapEnd(ctx, body?.oldSecretEndsInSeconds, 'secret', present?.oldSecretEndsAt);
    const secret = await resetEndpointSecret(ctx, tx, { clientId: app.id, ownerId: app.created_by_id, oldEndsAt });
    return getRecord(tx, await change(ctx, tx, app, { action: 'reset-webhook-secret' }), { secret });
  });
}
