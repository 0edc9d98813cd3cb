import { AppError } from '@latchkey/kernel';
import { type ChangeContext, getAppForUpdate } from './change.ts';
import type { ClientApplication } from './client-app.ts';
import { replaceKey } from './replace-key.ts';
import { getRecord } from './to-record.ts';

/** Makes a new key and shows it once. The old one stops with this transaction, and so does one that was replaced before. */
export async function resetApiKey(
  ctx: ChangeContext,
  { clientAppId }: { clientAppId: string },
): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, clientAppId);
    if (app.status === 'REVOKED') throw new AppError('STATE_CONFLICT', 'A revoked client application gets no new key.');
    const { changed, apiKey } = await replaceKey(ctx, tx, app, undefined);
    return getRecord(tx, changed, { apiKey });
  });
}
