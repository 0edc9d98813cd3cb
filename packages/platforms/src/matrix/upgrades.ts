import { isObject } from '@latchkey/kernel';
import { type MatrixClient, saysForbidden } from './client.ts';
import { isRoomId } from './ids.ts';
import { readCreation, readState } from './rooms.ts';

/** The room that replaces this one, as its tombstone says; undefined if there is none. */
export async function readReplacement(
  client: MatrixClient,
  roomId: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  return replacementIn(await readState(client, roomId, 'm.room.tombstone', { signal }));
}

export function replacementIn(content: unknown): string | undefined {
  const id = isObject(content) ? content.replacement_room : undefined;
  return typeof id === 'string' && isRoomId(id) ? id : undefined;
}

/**
 * The room that this one replaces. Anyone can create a room that claims a predecessor, so the predecessor’s tombstone has to name it too:
 * only people with the power for it can send that.
 */
export async function readPredecessor(
  client: MatrixClient,
  roomId: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const { predecessorId } = await readCreation(client, roomId, signal);
  if (predecessorId === undefined) return undefined;
  try {
    return (await readReplacement(client, predecessorId, signal)) === roomId ? predecessorId : undefined;
  } catch (error) {
    // The bot is not in the predecessor, so it is no community or room of one.
    if (saysForbidden(error)) return undefined;
    throw error;
  }
}
