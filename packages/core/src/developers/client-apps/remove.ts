import type { Context } from '../../context.ts';
import { emit, retireEndpoint } from '../webhooks/index.ts';
import { getAppForUpdate } from './change.ts';
import { deleteApp } from './queries.ts';

/** Deletes an application. Its key stops with this transaction; the event that tells of it still goes out. */
export async function remove(ctx: Pick<Context, 'tx' | 'clock' | 'random'>, { id }: { id: string }): Promise<void> {
  return ctx.tx(async (tx) => {
    const app = await getAppForUpdate(tx, id);
    await emit(ctx, tx, 'client-app.deleted', {
      ownerId: app.created_by_id,
      clientId: app.id,
      payload: { clientId: app.id, name: app.name },
    });
    await retireEndpoint(ctx, tx, app.id);
    await deleteApp(tx, app.id);
  });
}
