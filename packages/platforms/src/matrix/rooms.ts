import { fieldsOf, Malformed, nameOf, parseEntries, parseEntry, textOf } from '@latchkey/adapter-kit';
import { MemberUnreadable } from '@latchkey/core/ports';
import { isObject } from '@latchkey/kernel';
import { type MatrixClient, parsed, saysForbidden, saysMissing } from './client.ts';
import { isRoomId, roomIdOf, roomPath, userIdOf } from './ids.ts';
import { type Power, parsePower, powerLevels } from './power.ts';

const memberships = ['join', 'invite', 'knock', 'leave', 'ban'] as const;
export type Membership = (typeof memberships)[number];

/** A user's membership in a room, as its state says (m.room.member). */
export interface RoomMember {
  userId: string;
  membership: Membership;
  name?: string;
  /** Whether the user changed it themselves, as by leaving or by declining an invite. */
  isOwnDoing: boolean;
}

/** A room of a space that the bot is in. */
export interface ChildRoom {
  roomId: string;
  name: string;
  /** Undefined if the homeserver does not say. */
  joinRule: string | undefined;
}

const about = { source: 'matrix', kind: 'member' };

/** Reads the content of a state event; undefined if the room has none. */
export async function readState(
  client: MatrixClient,
  roomId: string,
  type: string,
  { key = '', signal, isWhole = false }: { key?: string; signal?: AbortSignal | undefined; isWhole?: boolean } = {},
): Promise<unknown> {
  const path = roomPath(roomId, `/state/${type}/${encodeURIComponent(key)}${isWhole ? '?format=event' : ''}`);
  try {
    return await client.call('GET', path, { signal });
  } catch (error) {
    if (saysMissing(error)) return undefined;
    throw error;
  }
}

export async function readPower(client: MatrixClient, roomId: string, signal?: AbortSignal): Promise<Power> {
  const [content, create] = await Promise.all([
    readState(client, roomId, powerLevels, { signal }),
    readState(client, roomId, 'm.room.create', { signal, isWhole: true }),
  ]);
  return parsed(() => parsePower(content, create));
}

/** Throws `Malformed`. */
export function parseMember(event: unknown): RoomMember {
  const { state_key: key, sender, content } = fieldsOf(event, 'a membership');
  const { membership, displayname } = fieldsOf(content, 'a membership');
  const known = memberships.find((one) => one === membership);
  if (known === undefined) throw new Malformed('a membership is not known');
  const userId = userIdOf(key);
  return {
    userId,
    membership: known,
    isOwnDoing: sender === userId,
    ...(typeof displayname === 'string' && displayname !== '' && { name: displayname.slice(0, longestName) }),
  };
}

const longestName = 100;

/** Undefined if the user never had to do with the room. Throws `MemberUnreadable`. */
export async function readRoomMember(
  client: MatrixClient,
  roomId: string,
  userId: string,
  signal?: AbortSignal,
): Promise<RoomMember | undefined> {
  const event = await readState(client, roomId, 'm.room.member', { key: userId, signal, isWhole: true });
  if (event === undefined) return undefined;
  const member = parseEntry(event, about, parseMember)?.parsed;
  if (member?.userId !== userId) throw new MemberUnreadable('The homeserver sent a member that could not be read.');
  return member;
}

/** The list of a large room has one entry of a few hundred bytes for each member. */
const listBytes = 64_000_000;

/**
 * Everyone who is in a room, was invited, asks to join or is banned, by user id; or everyone who left it or was removed. `malformed`
 * counts entries that could not be read.
 */
export async function listRoomMembers(
  client: MatrixClient,
  roomId: string,
  signal?: AbortSignal,
  which: 'not_membership=leave' | 'membership=leave' = 'not_membership=leave',
) {
  const path = roomPath(roomId, `/members?${which}`);
  const answer = await client.call('GET', path, { signal, timeoutMs: 60_000, maxBytes: listBytes });
  const { entries, malformed } = parsed(() =>
    parseEntries(
      fieldsOf(answer, 'the members').chunk,
      { ...about, idOf: ({ userId }: RoomMember) => userId },
      parseMember,
    ),
  );
  return { members: new Map(entries.map((member) => [member.userId, member])), malformed };
}

const pageRooms = 50;
/** Rooms of a space that can be roles. Each is read with every member, so the number is bounded. */
export const mostRooms = 50;

/** The rooms directly in a space that the bot is in. None for a room that is no space. */
export async function readChildRooms(
  client: MatrixClient,
  spaceId: string,
  signal?: AbortSignal,
): Promise<ChildRoom[]> {
  const joined = await readJoinedRooms(client, signal);
  const rooms: ChildRoom[] = [];
  for (let from = ''; rooms.length < mostRooms; ) {
    const query = new URLSearchParams({ max_depth: '1', limit: String(pageRooms), ...(from !== '' && { from }) });
    const path = `/client/v1/rooms/${encodeURIComponent(spaceId)}/hierarchy?${query}`;
    const answer = fieldsOf(await client.call('GET', path, { signal }), 'the rooms of a space');
    const kind = { source: 'matrix', kind: 'room', idOf: ({ roomId }: ChildRoom) => roomId };
    const { entries } = parsed(() => parseEntries(answer.rooms, kind, parseChildRoom));
    rooms.push(...entries.filter(({ roomId }) => roomId !== spaceId && joined.has(roomId)));
    if (typeof answer.next_batch !== 'string' || answer.next_batch === from) break;
    from = answer.next_batch;
  }
  return rooms.slice(0, mostRooms);
}

/**
 * The spaces that the bot is in, each with the rooms in it that the bot is in too. Not by `/sync`, whose first response Synapse repeats
 * for two minutes.
 */
export async function readSpaces(client: MatrixClient, signal?: AbortSignal): Promise<Map<string, Set<string>>> {
  const spaces = new Map<string, Set<string>>();
  const joined = await readJoinedRooms(client, signal);
  const known = creationsOf(client);
  for (const roomId of known.keys()) if (!joined.has(roomId)) known.delete(roomId);
  for (const roomId of joined) {
    if (!(await readCreation(client, roomId, signal)).isSpace) continue;
    spaces.set(roomId, new Set((await readChildRooms(client, roomId, signal)).map((child) => child.roomId)));
  }
  return spaces;
}

/** What a room was created as. */
interface Creation {
  isSpace: boolean;
  /** The room that it says it replaces. */
  predecessorId: string | undefined;
}

/** A room stays what it was created as, so each is asked about once, also if the loop starts over. */
const creations = new WeakMap<MatrixClient, Map<string, Creation>>();

function creationsOf(client: MatrixClient): Map<string, Creation> {
  const known = creations.get(client) ?? new Map<string, Creation>();
  creations.set(client, known);
  return known;
}

export async function readCreation(client: MatrixClient, roomId: string, signal?: AbortSignal): Promise<Creation> {
  const known = creationsOf(client).get(roomId);
  if (known !== undefined) return known;
  const create = await readState(client, roomId, 'm.room.create', { signal });
  const predecessor = isObject(create) && isObject(create.predecessor) ? create.predecessor.room_id : undefined;
  const creation = {
    isSpace: isObject(create) && create.type === 'm.space',
    predecessorId: typeof predecessor === 'string' && isRoomId(predecessor) ? predecessor : undefined,
  };
  creationsOf(client).set(roomId, creation);
  return creation;
}

function parseChildRoom(value: unknown): ChildRoom {
  const { room_id: id, name, join_rule: joinRule } = fieldsOf(value, 'a room');
  const roomId = roomIdOf(id);
  return {
    roomId,
    name: name === undefined ? roomId : nameOf(name, 'the name of a room').slice(0, longestName),
    joinRule: typeof joinRule === 'string' ? joinRule : undefined,
  };
}

export async function readJoinedRooms(client: MatrixClient, signal?: AbortSignal): Promise<ReadonlySet<string>> {
  const answer = fieldsOf(await client.call('GET', '/client/v3/joined_rooms', { signal }), 'the rooms');
  return parsed(() => new Set(parseEntries(answer.joined_rooms, { source: 'matrix', kind: 'room' }, roomIdOf).entries));
}

/** The name of a room; its id if it has none or hides it. */
export async function readRoomName(client: MatrixClient, roomId: string, signal?: AbortSignal): Promise<string> {
  try {
    const content = await readState(client, roomId, 'm.room.name', { signal });
    const name = isObject(content) ? content.name : undefined;
    return parsed(() => (name === undefined ? '' : textOf(name, 'the name of a room'))).slice(0, longestName) || roomId;
  } catch (error) {
    if (saysForbidden(error)) return roomId;
    throw error;
  }
}
