import { hashSecret } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { emit } from '../webhooks/index.ts';
import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import type { ClientApplication } from './client-app.ts';
import { newApiKey } from './secrets.ts';
import { getRecord } from './to-record.ts';

/** Makes a new key and shows it once. The old one stops with this transaction, since only one hash is kept. */
export async function resetApiKey(
  ctx: ChangeContext,
  { clientAppId }: { clientAppId: string },
): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, clientAppId);
    if (app.status === 'REVOKED') throw new AppError('STATE_CONFLICT', 'A revoked client application gets no new key.');
    const apiKey = newApiKey(ctx.random, app.id);
    const changed = await change(ctx, tx, app, {
      action: 'reset-api-key',
      columns: { api_key_hash: hashSecret(apiKey) },
    });
    await emit(ctx, tx, 'client-app.api-key-reset', {
      ownerId: app.created_by_id,
      clientId: app.id,
      payload: { clientId: app.id },
    });
    return getRecord(tx, changed, { apiKey });
  });
}
