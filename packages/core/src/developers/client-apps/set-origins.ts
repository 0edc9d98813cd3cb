import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import { checkOrigins } from './check-fields.ts';
import type { ClientApplication, OriginsChange } from './client-app.ts';
import { getRecord } from './to-record.ts';

const maxNotes = 1000;

/** Sets from where an application may be used. The operator approved it with other origins, so its history names these. */
export async function setOrigins(
  ctx: ChangeContext,
  { id, body }: { id: string; body: OriginsChange },
): Promise<ClientApplication> {
  const columns = checkOrigins(body);
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    const notes = columns.allowed_origins.join(' ').slice(0, maxNotes) || 'any';
    return getRecord(tx, await change(ctx, tx, app, { action: 'set-origins', notes, columns }));
  });
}
