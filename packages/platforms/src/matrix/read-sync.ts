import { type Fields, fieldsOf, nameOf, parseEntries, parseEntry } from '@latchkey/adapter-kit';
import { type ChatEvent, type ChatPerson, PlatformFailed } from '@latchkey/core/ports';
import { isObject } from '@latchkey/kernel';
import { isRoomId, localpartOf, roomIdOf, userIdOf } from './ids.ts';
import { memberRole } from './roles.ts';
import { parseMember } from './rooms.ts';

export const commandPrefix = '!';

/** The spaces that the bot is in, each with the rooms in it. */
export type Spaces = Map<string, Set<string>>;

interface SyncOptions {
  botId: string;
  /** Updated by what the response says. */
  spaces: Spaces;
  /** Events between the last position and this response are lost. */
  isAnew: boolean;
  /** Without it the response shows history, of which only invitations still matter. */
  since: string | undefined;
}

const aboutEvents = { source: 'matrix', kind: 'event' };
const commandPattern = new RegExp(`^${commandPrefix}([a-z_]{1,32})(?:[ \\n]+([^\\n]{0,256}))?$`, 'i');
/** Longer messages are no commands. */
const longestCommand = 512;

/** Converts a response of `/sync` to events. Malformed events are skipped; throws `PlatformFailed` for a malformed response. */
export function readSync(answer: Fields, options: SyncOptions): { to: string; events: ChatEvent[] } {
  const { next_batch: to, rooms } = answer;
  if (typeof to !== 'string' || to === '' || to.length > 2_000)
    throw new PlatformFailed('unavailable', 'The Matrix homeserver sent an unexpected response.', 30);
  const parts = isObject(rooms) ? rooms : {};
  const joined = roomsIn(parts.join);
  const isNews = options.since !== undefined && !options.isAnew;
  for (const [roomId, room] of joined) noteSpace(options.spaces, roomId, room);
  return {
    to,
    events: [
      ...joined.flatMap(([roomId, room]) => (isNews ? readRoom(roomId, room, options) : [])),
      ...(options.isAnew ? joined.map(([communityId]): ChatEvent => ({ kind: 'missed', communityId })) : []),
      ...roomsIn(parts.invite).flatMap(([roomId, room]) => readInvite(roomId, room, options)),
      ...roomsIn(parts.leave).flatMap(([communityId]): ChatEvent[] => {
        options.spaces.delete(communityId);
        return isNews ? [{ kind: 'bot-removed', communityId }] : [];
      }),
    ],
  };
}

function roomsIn(value: unknown): [string, Fields][] {
  return Object.entries(isObject(value) ? value : {}).flatMap(([roomId, room]): [string, Fields][] =>
    isRoomId(roomId) && isObject(room) ? [[roomId, room]] : [],
  );
}

/** The events of a part of a room: its timeline, its state, or the state shown to the invited. */
function eventsIn(part: unknown): readonly unknown[] {
  const events = isObject(part) ? part.events : undefined;
  return Array.isArray(events) ? events : [];
}

function noteSpace(spaces: Spaces, roomId: string, room: Fields): void {
  const { entries } = parseEntries([...eventsIn(room.state), ...eventsIn(room.timeline)], aboutEvents, (value) =>
    fieldsOf(value, 'an event'),
  );
  for (const { type, state_key: key, content } of entries) {
    const fields = isObject(content) ? content : {};
    if (type === 'm.room.create' && fields.type === 'm.space' && !spaces.has(roomId)) spaces.set(roomId, new Set());
    if (type !== 'm.space.child' || typeof key !== 'string' || !isRoomId(key)) continue;
    const children = spaces.get(roomId) ?? new Set();
    // A child without servers to reach it by was taken out of the space.
    if (Array.isArray(fields.via) && fields.via.length > 0) children.add(key);
    else children.delete(key);
    spaces.set(roomId, children);
  }
}

function readRoom(roomId: string, room: Fields, options: SyncOptions): ChatEvent[] {
  const isCut = isObject(room.timeline) && room.timeline.limited === true;
  const { entries } = parseEntries(eventsIn(room.timeline), aboutEvents, (value) => readEvent(roomId, value, options));
  return [...(isCut ? [{ kind: 'missed', communityId: roomId } as const] : []), ...entries.flat()];
}

/** Throws `Malformed`. */
function readEvent(roomId: string, value: unknown, options: SyncOptions): ChatEvent[] {
  const event = fieldsOf(value, 'an event');
  switch (nameOf(event.type, 'the type of an event')) {
    case 'm.room.member':
      return readMembership(roomId, event, options);
    case 'm.room.power_levels':
      return [{ kind: 'rights-changed', communityId: roomId }];
    case 'm.room.encrypted':
      return spoke(roomId, event, options);
    case 'm.room.message':
      return [...spoke(roomId, event, options), ...readCommand(roomId, event, options)];
    default:
      return [];
  }
}

function readMembership(roomId: string, event: Fields, { botId, spaces }: SyncOptions): ChatEvent[] {
  const { userId, membership, name } = parseMember(event);
  if (userId === botId) return [];
  const user = { id: userId, name: name ?? localpartOf(userId), isBot: false };
  const unsigned = isObject(event.unsigned) ? event.unsigned : {};
  const before = isObject(unsigned.prev_content) ? unsigned.prev_content.membership : undefined;
  const communityId = roomId;
  if (membership === 'join')
    return before === 'join' ? [] : [{ kind: 'joined', communityId, user, roleIds: [memberRole] }];
  if (membership === 'knock') {
    const parents = [...spaces].filter(([, children]) => children.has(roomId)).map(([spaceId]) => spaceId);
    return [
      { kind: 'join-requested', communityId, user, roleId: memberRole },
      ...parents.map((spaceId) => ({ kind: 'role-requested', communityId: spaceId, user }) as const),
    ];
  }
  return (membership === 'leave' || membership === 'ban') && before === 'join'
    ? [{ kind: 'left', communityId, user }]
    : [];
}

function personOf(event: Fields, botId: string): ChatPerson {
  const id = userIdOf(event.sender);
  return { id, name: localpartOf(id), isBot: id === botId };
}

function spoke(communityId: string, event: Fields, { botId }: SyncOptions): ChatEvent[] {
  const user = personOf(event, botId);
  return user.isBot ? [] : [{ kind: 'spoke', communityId, user }];
}

/** Bots write notices, so a notice is never a command: two bots would answer each other forever. */
function readCommand(placeId: string, event: Fields, { botId }: SyncOptions): ChatEvent[] {
  const { msgtype, body } = isObject(event.content) ? event.content : {};
  const user = personOf(event, botId);
  if (user.isBot || msgtype !== 'm.text' || typeof body !== 'string' || body.length > longestCommand) return [];
  const [, command, argument = ''] = commandPattern.exec(body.trim()) ?? [];
  if (command === undefined) return [];
  return [{ kind: 'command', placeId, user, command: command.toLowerCase(), argument: argument.trim() }];
}

function readInvite(roomId: string, room: Fields, { botId }: SyncOptions): ChatEvent[] {
  const invite = parseEntry(eventsIn(room.invite_state), aboutEvents, (events) => {
    const { entries } = parseEntries(events, aboutEvents, (value) => fieldsOf(value, 'an event'));
    // The homeserver adds the invitation itself last; what stands before it is only claimed by the server that invites.
    const own = entries.findLast(({ type, state_key: key }) => type === 'm.room.member' && key === botId);
    const { sender, content } = fieldsOf(own, 'an invitation');
    const isPrivate = isObject(content) && content.is_direct === true;
    return { id: userIdOf(sender), placeId: roomIdOf(roomId), isPrivate };
  })?.parsed;
  if (invite === undefined) return [];
  const { id, placeId, isPrivate } = invite;
  return [{ kind: 'bot-invited', placeId, user: { id, name: localpartOf(id), isBot: false }, isPrivate }];
}
