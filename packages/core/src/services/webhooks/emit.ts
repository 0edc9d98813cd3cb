import { enqueue, type Tx } from '@latchkey/db';
import type { EventType } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { fanOut } from './fan-out.ts';
import { insertEvent } from './queries.ts';

export interface Emission {
  /** The owner of the applications that may receive it. */
  ownerId: string;
  /** The application that it is about; absent if it concerns every application of the owner. */
  clientId?: string;
  /** The content for the receiver. Never a secret. */
  payload: Record<string, unknown>;
}

/**
 * Emits an event in the transaction of the change: either both are committed, or neither. A worker delivers it. The
 * body is written once, as the text that every attempt signs and sends.
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
