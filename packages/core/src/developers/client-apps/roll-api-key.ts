import { AppError, shape, T, type ValueOf } from '@latchkey/kernel';
import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import type { ClientApplication } from './client-app.ts';
import { overlapEnd, overlapSeconds } from './overlap.ts';
import { replaceKey } from './replace-key.ts';
import { getRecord } from './to-record.ts';

export const KeyRoll = shape(
  T.Object({
    oldKeyEndsInSeconds: overlapSeconds(
      'For how many seconds the old key still works, so that programs can be given the new one in the meantime. Defaults to 0: it stops at once.',
    ),
  }),
);

/** Makes a new key and shows it once; the old one works for as long as its owner chose. */
export async function rollApiKey(
  ctx: ChangeContext,
  { id, body }: { id: string; body?: ValueOf<typeof KeyRoll> | undefined },
): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (app.status === 'REVOKED') throw new AppError('STATE_CONFLICT', 'A revoked client application gets no new key.');
    const oldEndsAt = overlapEnd(ctx, body?.oldKeyEndsInSeconds, 'key', app.old_api_key_ends_at);
    const { changed, apiKey } = await replaceKey(ctx, tx, app, oldEndsAt);
    return getRecord(tx, changed, { apiKey });
  });
}

/** Ends a replaced key before its time. Without one there is nothing to do. */
export async function endOldApiKey(ctx: ChangeContext, { id }: { id: string }): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (app.old_api_key_ends_at === null) return getRecord(tx, app);
    const columns = { old_api_key_hash: null, old_api_key_ends_at: null };
    return getRecord(tx, await change(ctx, tx, app, { action: 'end-old-api-key', columns }));
  });
}
