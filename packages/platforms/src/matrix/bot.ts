import { fieldsOf } from '@latchkey/adapter-kit';
import type { ChatBot } from '@latchkey/core/ports';
import { type MatrixClient, parsed, saysForbidden, saysMissing } from './client.ts';
import { isRoomId, linkTo, roomIdOf, roomPath, userIdOf } from './ids.ts';
import { commandPrefix } from './read-sync.ts';
import { roomRole } from './roles.ts';
import { listRoomMembers, readRoomName, readSpaces, readState } from './rooms.ts';
import { hasAccess } from './scene.ts';
import { listenToSync, type MatrixBotOptions } from './sync.ts';
import { readPredecessor } from './upgrades.ts';

export interface MatrixBot extends ChatBot {
  /** Writes to a user privately and returns the room of that conversation. */
  sendIn(userId: string, text: string, signal?: AbortSignal): Promise<string>;
}

/** Creates the bot: it writes notices, which other bots do not answer, and keeps one private room for each user. */
export function createMatrixBot(client: MatrixClient, options: MatrixBotOptions): MatrixBot {
  const post = async (roomId: string, body: string, signal?: AbortSignal) => {
    const path = roomPath(roomId, `/send/m.room.message/${options.random.id(24)}`);
    const answer = await client.call('PUT', path, { body: { msgtype: 'm.notice', body }, signal });
    return String(fieldsOf(answer, 'the message').event_id ?? '');
  };
  const sendIn = async (userId: string, text: string, signal?: AbortSignal) => {
    const roomId = (await findPrivateRoom(client, userId, signal)) ?? (await createPrivateRoom(client, userId, signal));
    await post(roomId, text, signal);
    return roomId;
  };
  return {
    platform: 'matrix',
    commandPrefix,
    profileUrl: async (signal) => linkTo(await client.ownId(signal)),
    post,
    sendTo: async (userId, text, signal) => sendIn(userId, text, signal),
    sendIn,
    enter: async (roomId, { isPrivate, userId, via = [] }, signal) => {
      const servers = via.map((server) => `via=${encodeURIComponent(server)}`).join('&');
      const path = `/client/v3/join/${encodeURIComponent(roomId)}${servers === '' ? '' : `?${servers}`}`;
      await client.call('POST', path, { body: {}, signal });
      if (isPrivate) {
        // Anybody can invite the bot again and again: it stays only in the rooms that it writes to.
        if (userId !== undefined && (await readCreator(client, roomId, signal)) === userId)
          await notePrivateRoom(client, userId, roomId, signal);
        else await leaveRoom(client, roomId, signal);
        return { name: roomId, inside: [] };
      }
      const [name, spaces] = await Promise.all([readRoomName(client, roomId, signal), readSpaces(client, signal)]);
      const inside = [...spaces].filter(([, children]) => children.has(roomId)).map(([spaceId]) => spaceId);
      const predecessor = await readPredecessor(client, roomId, signal);
      if (predecessor === undefined) return { name, inside };
      const replaces = { placeId: predecessor, roleId: roomRole(predecessor), newRoleId: roomRole(roomId) };
      return { name, inside, replaces };
    },
    leave: (roomId, signal) => leaveRoom(client, roomId, signal),
    listen: (listener, signal) => listenToSync(client, listener, options, signal),
  };
}

/** Where clients, and this bot, keep which rooms are private conversations with whom. */
async function directPath(client: MatrixClient, signal?: AbortSignal): Promise<string> {
  return `/client/v3/user/${encodeURIComponent(await client.ownId(signal))}/account_data/m.direct`;
}

async function readPrivateRooms(client: MatrixClient, signal?: AbortSignal): Promise<Record<string, unknown>> {
  try {
    return { ...fieldsOf(await client.call('GET', await directPath(client, signal), { signal }), 'the private rooms') };
  } catch (error) {
    if (saysMissing(error)) return {};
    throw error;
  }
}

function roomsWith(rooms: Record<string, unknown>, userId: string): string[] {
  const list = Object.hasOwn(rooms, userId) ? rooms[userId] : undefined;
  return Array.isArray(list) ? list.filter((id) => typeof id === 'string' && isRoomId(id)) : [];
}

/**
 * Finds the room in which only this user reads what the bot writes: its links sign their reader in. A user who left the conversation is
 * invited back: they asked for what is being written.
 */
async function findPrivateRoom(
  client: MatrixClient,
  userId: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const roomId = roomsWith(await readPrivateRooms(client, signal), userId).at(-1);
  const present = roomId === undefined ? undefined : await readPresent(client, roomId, signal);
  if (roomId === undefined || present === undefined) return undefined;
  const botId = await client.ownId(signal);
  if (!present.has(botId) || [...present].some((id) => id !== botId && id !== userId)) return undefined;
  if (!present.has(userId))
    try {
      await client.call('POST', roomPath(roomId, '/invite'), { body: { user_id: userId }, signal });
    } catch (error) {
      // As if they were banned.
      if (saysForbidden(error)) return undefined;
      throw error;
    }
  return roomId;
}

/** Who is in a room or invited to it; undefined if that cannot be said of everyone. */
async function readPresent(
  client: MatrixClient,
  roomId: string,
  signal?: AbortSignal,
): Promise<ReadonlySet<string> | undefined> {
  try {
    const { members, malformed } = await listRoomMembers(client, roomId, signal);
    const present = [...members.values()].filter(({ membership }) => hasAccess(membership));
    return malformed === 0 ? new Set(present.map(({ userId }) => userId)) : undefined;
  } catch (error) {
    if (saysForbidden(error)) return undefined;
    throw error;
  }
}

/**
 * Who created a room. A homeserver that invites the bot can name anybody as the one who invited; it cannot create a room in the name of
 * another server's user.
 */
async function readCreator(client: MatrixClient, roomId: string, signal?: AbortSignal): Promise<string> {
  const create = await readState(client, roomId, 'm.room.create', { isWhole: true, signal });
  return parsed(() => userIdOf(fieldsOf(create, 'the creation of a room').sender));
}

/** Not encrypted: the bot has no keys, so clients do not expect it. Both may do the same in it. */
async function createPrivateRoom(client: MatrixClient, userId: string, signal?: AbortSignal): Promise<string> {
  const body = { preset: 'trusted_private_chat', is_direct: true, invite: [userId] };
  const answer = await client.call('POST', '/client/v3/createRoom', { body, signal });
  const roomId = parsed(() => roomIdOf(fieldsOf(answer, 'the room').room_id));
  await notePrivateRoom(client, userId, roomId, signal);
  return roomId;
}

const mostKept = 5;

async function leaveRoom(client: MatrixClient, roomId: string, signal?: AbortSignal): Promise<void> {
  await client.call('POST', roomPath(roomId, '/leave'), { body: {}, signal });
}

/** The last change of each bot's list of private rooms. */
const changing = new WeakMap<MatrixClient, Promise<unknown>>();

/** Adds a room to the list of those with a user, one change after the other: the homeserver only takes whole lists. */
async function notePrivateRoom(
  client: MatrixClient,
  userId: string,
  roomId: string,
  signal?: AbortSignal,
): Promise<void> {
  const change = (changing.get(client) ?? Promise.resolve()).then(async () => {
    const rooms = await readPrivateRooms(client, signal);
    const known = [...roomsWith(rooms, userId).filter((id) => id !== roomId), roomId];
    const body = { ...rooms, [userId]: known.slice(-mostKept) };
    await client.call('PUT', await directPath(client, signal), { body, signal });
    return known.slice(0, -mostKept);
  });
  changing.set(
    client,
    change.catch(() => undefined),
  );
  for (const left of await change)
    await leaveRoom(client, left, signal).catch((error: unknown) => {
      // The bot is not in it any more.
      if (!saysForbidden(error) && !saysMissing(error)) throw error;
    });
}
