import { type ChangeContext, change, getAppForUpdate } from './change.ts';
import { checkName } from './check-fields.ts';
import type { ClientApplication } from './client-app.ts';
import { getRecord } from './to-record.ts';

export async function rename(
  ctx: ChangeContext,
  { id, body }: { id: string; body: { name: string } },
): Promise<ClientApplication> {
  const name = checkName(body.name);
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    return getRecord(tx, await change(ctx, tx, app, { action: 'rename', columns: { name } }));
  });
}
