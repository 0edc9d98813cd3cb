import { levelOf, requireJoined, sendEvent } from './rules.ts';
import { MatrixError, type MatrixRoom, type MatrixWorld } from './world.ts';

const versions = ['8', '9', '10', '11', '12'];

/** State that a homeserver copies into the new room (Client-Server API, POST /rooms/{roomId}/upgrade). */
const copied = [
  'm.room.join_rules',
  'm.room.history_visibility',
  'm.room.name',
  'm.room.topic',
  'm.room.avatar',
  'm.room.guest_access',
  'm.room.encryption',
];

/**
 * Replaces a room with one of another version, which only its upgrader is in. People who are banned stay banned; all others join by
 * themselves, or are invited by their clients.
 */
export function upgradeRoom(world: MatrixWorld, old: MatrixRoom, user: string, version: string): string {
  requireJoined(world, old, user);
  if (!versions.includes(version))
    throw new MatrixError(400, 'M_UNSUPPORTED_ROOM_VERSION', 'Your homeserver does not support this room version');
  const id = version === '12' ? `!${world.nextId()}upgraded` : `!${world.nextId()}:${world.server}`;
  const power = { ...world.stateOf(old, 'm.room.power_levels')?.content };
  const tombstone = sendEvent(world, old, user, {
    type: 'm.room.tombstone',
    state_key: '',
    content: { body: 'This room has been replaced', replacement_room: id },
  });
  const room: MatrixRoom = { id, events: [], state: new Map() };
  world.rooms.set(id, room);
  const set = (type: string, content: Record<string, unknown>, key = '') =>
    world.add(room, { type, sender: user, state_key: key, content });
  const { predecessor: _, ...creation } = world.stateOf(old, 'm.room.create')?.content ?? {};
  const predecessor = { room_id: old.id, ...(version !== '12' && { event_id: tombstone.event_id }) };
  set('m.room.create', { ...creation, room_version: version, predecessor });
  set('m.room.member', { membership: 'join', displayname: world.users.get(user)?.name ?? user }, user);
  const users = { ...(power.users as Record<string, number> | undefined) };
  // Creators of the newest rooms have more power than any level, and must not be listed.
  if (version === '12') delete users[user];
  set('m.room.power_levels', { ...power, users });
  for (const { type, state_key: key = '', content } of old.state.values()) {
    const isBan = type === 'm.room.member' && content.membership === 'ban';
    const isChild = type === 'm.space.child' && Array.isArray(content.via);
    if (copied.includes(type) || isBan || isChild) set(type, content, key);
  }
  close(world, old, user, power);
  return id;
}

/** Nobody without power writes in the old room, or is invited to it, any more. */
function close(world: MatrixWorld, old: MatrixRoom, user: string, power: Record<string, unknown>): void {
  const needed = Math.max(50, Number(power.users_default ?? 0) + 1);
  if (levelOf(world, old, user) < needed) return;
  const content = { ...power, invite: needed, events_default: needed };
  sendEvent(world, old, user, { type: 'm.room.power_levels', state_key: '', content });
}
