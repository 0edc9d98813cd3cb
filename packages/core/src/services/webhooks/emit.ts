import { enqueue, type Tx } from '@latchkey/db';
import type { EventType } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { fanOut } from './fan-out.ts';
import { insertEvent } from './queries.ts';

export interface Emission {
  /** Whose applications may hear of it. */
  ownerId: string;
  /** The application that it is about; absent when it concerns every application of the owner. */
  clientId?: string;
  /** What happened, for the receiver to read. Never a secret. */
  payload: Record<string, unknown>;
}

/**
 * Tells of a change, in the transaction of that change: either both are kept, or neither. Delivery is the worker's
 * business. The body is written once, as the text that every attempt signs and sends.
 */
export async function emit(
  ctx: Pick<Context, 'clock' | 'random'>,
  tx: Tx,
  type: EventType,
  { ownerId, clientId, payload }: Emission,
): Promise<{ id: string }> {
  const id = `msg_${ctx.random.id()}`;
  const now = ctx.clock();
  const body = JSON.stringify({ type, timestamp: now.toISOString(), data: payload });
  await insertEvent(tx, { id, type, owner_id: ownerId, client_id: clientId ?? null, body, created_at: now });
  await enqueue(tx, fanOut, { eventId: id });
  return { id };
}
