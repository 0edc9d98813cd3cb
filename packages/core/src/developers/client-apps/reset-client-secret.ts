import { hashSecret } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import type { ClientApplication } from './client-app.ts';
import { newClientSecret } from './secrets.ts';
import { getRecord } from './to-record.ts';

/** Makes a new client secret and shows it once. The old one stops with this transaction, since only one hash is kept. */
export async function resetClientSecret(ctx: ChangeContext, { id }: { id: string }): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    if (app.status === 'REVOKED')
      throw new AppError('STATE_CONFLICT', 'A revoked client application gets no new secret.');
    if (app.client_type !== 'confidential')
      throw new AppError('STATE_CONFLICT', 'Only a confidential client application has a client secret.');
    const clientSecret = newClientSecret(ctx.random);
    const columns = { client_secret_hash: hashSecret(clientSecret) };
    return getRecord(tx, await change(ctx, tx, app, { action: 'reset-client-secret', columns }), { clientSecret });
  });
}
