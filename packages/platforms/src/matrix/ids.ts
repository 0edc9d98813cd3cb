import { Malformed } from '@latchkey/adapter-kit';
import { chatPlatforms } from '@latchkey/kernel';

const { ids } = chatPlatforms.matrix;
const userForm = new RegExp(`^${ids.user}$`);
const roomForm = new RegExp(`^${ids.community}$`);

export function isUserId(text: string): boolean {
  return userForm.test(text);
}

export function isRoomId(text: string): boolean {
  return roomForm.test(text);
}

/** Throws `Malformed`, also for an id that is longer than Latchkey stores. */
export function userIdOf(value: unknown): string {
  if (typeof value !== 'string' || !isUserId(value)) throw new Malformed('a user id is not one');
  return value;
}

/** Throws `Malformed`. */
export function roomIdOf(value: unknown): string {
  if (typeof value !== 'string' || !isRoomId(value)) throw new Malformed('a room id is not one');
  return value;
}

/** The name within a user id: `alice` of `@alice:example.org`. */
export function localpartOf(userId: string): string {
  return userId.slice(1).split(':')[0] ?? userId;
}

/** A path of the client-server API about a room. */
export function roomPath(roomId: string, rest: string): string {
  return `/client/v3/rooms/${encodeURIComponent(roomId)}${rest}`;
}

/** The link to a room or user that every Matrix client opens. */
export function linkTo(id: string): string {
  const server = id.slice(id.indexOf(':') + 1);
  const via = id.startsWith('!') && id.includes(':') ? `?via=${encodeURIComponent(server)}` : '';
  return `https://matrix.to/#/${encodeURIComponent(id)}${via}`;
}
