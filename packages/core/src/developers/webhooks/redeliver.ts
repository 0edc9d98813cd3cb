import { enqueue } from '@latchkey/db';
import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { deliver } from './deliver.ts';
import { startRound } from './queries.ts';

/**
 * Sends an event once more, with its old id, whatever became of it before. The whole schedule of attempts starts anew;
 * what was left of the earlier one does nothing any more.
 */
export async function redeliver(ctx: Pick<Context, 'tx'>, deliveryId: string): Promise<void> {
  return ctx.tx(async (tx) => {
    const started = await startRound(tx, deliveryId);
    if (started === undefined) throw notFound('delivery');
    await enqueue(tx, deliver, { deliveryId, round: started.round }, { group: started.client_id });
  });
}
