import { hashSecret, type Tx } from '@latchkey/db';
import { emit } from '../../services/webhooks/index.ts';
import { type ChangeContext, change } from './change.ts';
import { getKeyHash, type StoredClientApp } from './queries.ts';
import { newApiKey } from './secrets.ts';

/** Replaces the key of an application. The current one works until `oldEndsAt`; without a time it ends now. */
export async function replaceKey(
  ctx: ChangeContext,
  tx: Tx,
  app: StoredClientApp,
  oldEndsAt: Date | undefined,
): Promise<{ changed: StoredClientApp; apiKey: string }> {
  const apiKey = newApiKey(ctx.random, app.id);
  const changed = await change(ctx, tx, app, {
    action: oldEndsAt === undefined ? 'reset-api-key' : 'roll-api-key',
    columns: {
      api_key_hash: hashSecret(apiKey),
      api_key_made_at: ctx.clock(),
      old_api_key_hash: oldEndsAt === undefined ? null : await getKeyHash(tx, app.id),
      old_api_key_ends_at: oldEndsAt ?? null,
    },
  });
  await emit(ctx, tx, 'client-app.api-key-reset', {
    ownerId: app.created_by_id,
    clientId: app.id,
    payload: { clientId: app.id },
  });
  return { changed, apiKey };
}
