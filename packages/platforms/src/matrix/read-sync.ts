import { type Fields, fieldsOf, nameOf, parseEntries, parseEntry } from '@latchkey/adapter-kit';
import { type ChatEvent, type ChatJoinWay, type ChatPerson, PlatformFailed } from '@latchkey/core/ports';
import { isObject } from '@latchkey/kernel';
import { isRoomId, localpartOf, roomIdOf, userIdOf } from './ids.ts';
import { memberRole, roomRole } from './roles.ts';
import { parseMember } from './rooms.ts';
import { replacementIn } from './upgrades.ts';

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

interface EventOptions extends SyncOptions {
  /** It happened before the bot was in the room. */
  isHistory: boolean;
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
  const events = eventsIn(room.timeline);
  // Of a room that the bot just entered, the homeserver shows what happened before. These people came in before the gate was there.
  const enteredAt = events.findLastIndex((value) => isObject(value) && isOwnEntry(value, options.botId));
  const { entries } = parseEntries(
    events.map((value, place) => ({ value, isHistory: place < enteredAt })),
    aboutEvents,
    (entry) => {
      const { value, isHistory } = fieldsOf(entry, 'an event');
      return readEvent(roomId, value, { ...options, isHistory: isHistory === true });
    },
  );
  return [...(isCut ? [{ kind: 'missed', communityId: roomId } as const] : []), ...entries.flat()];
}

function isOwnEntry({ type, state_key: key, content, unsigned }: Fields, botId: string): boolean {
  if (type !== 'm.room.member' || key !== botId || !isObject(content) || content.membership !== 'join') return false;
  const before = isObject(unsigned) && isObject(unsigned.prev_content) ? unsigned.prev_content.membership : undefined;
  return before !== 'join';
}

/** Throws `Malformed`. */
function readEvent(roomId: string, value: unknown, options: EventOptions): ChatEvent[] {
  const event = fieldsOf(value, 'an event');
  switch (nameOf(event.type, 'the type of an event')) {
    case 'm.room.member':
      return readMembership(roomId, event, options);
    case 'm.room.power_levels':
      return [{ kind: 'rights-changed', communityId: roomId }];
    case 'm.room.tombstone':
      return readTombstone(roomId, event);
    case 'm.room.encrypted':
      return spoke(roomId, event, options);
    case 'm.room.message':
      return [...spoke(roomId, event, options), ...readCommand(roomId, event, options)];
    default:
      return [];
  }
}

/** A room that was upgraded. The new one is reached through the server of who upgraded it. */
function readTombstone(placeId: string, { content, sender }: Fields): ChatEvent[] {
  const newPlaceId = replacementIn(content);
  if (newPlaceId === undefined) return [];
  const server = userIdOf(sender).split(':').slice(1).join(':');
  return [{ kind: 'replaced', placeId, newPlaceId, via: [server] }];
}

function readMembership(roomId: string, event: Fields, { botId, spaces, isHistory }: EventOptions): ChatEvent[] {
  const { userId, membership, name } = parseMember(event);
  if (userId === botId) return [];
  const user = { id: userId, name: name ?? localpartOf(userId), isBot: false };
  const unsigned = isObject(event.unsigned) ? event.unsigned : {};
  const before = isObject(unsigned.prev_content) ? unsigned.prev_content.membership : undefined;
  const communityId = roomId;
  const parents = [...spaces].filter(([, children]) => children.has(roomId)).map(([spaceId]) => spaceId);
  if (membership === 'join') {
    if (before === 'join') return [];
    const way = isHistory ? undefined : wayOf(event, before, botId);
    return [
      { kind: 'joined', communityId, user, roleIds: [memberRole], ...(way && { way }) },
      ...parents.flatMap((spaceId): ChatEvent[] =>
        way === undefined ? [] : [{ kind: 'entered', communityId: spaceId, user, roleId: roomRole(roomId), way }],
      ),
    ];
  }
  if (membership === 'knock') {
    return [
      { kind: 'join-requested', communityId, user, roleId: memberRole },
      ...parents.map((spaceId) => ({ kind: 'role-requested', communityId: spaceId, user }) as const),
    ];
  }
  return (membership === 'leave' || membership === 'ban') && before === 'join'
    ? [{ kind: 'left', communityId, user, keepsRoles: true }]
    : [];
}

/**
 * How a user came in, if the bot did not invite them. Homeservers say who sent the invite that a join accepts (`prev_sender`, which the
 * specification does not have); without it, the inviter is not known, and neither is a way around the bot.
 */
function wayOf({ content, unsigned }: Fields, before: unknown, botId: string): ChatJoinWay | undefined {
  if (before !== 'invite') {
    const isThroughRoom = isObject(content) && content.join_authorised_via_users_server !== undefined;
    return { kind: isThroughRoom ? 'other-room' : 'public' };
  }
  const inviter = isObject(unsigned) ? unsigned.prev_sender : undefined;
  if (inviter === undefined || inviter === botId) return undefined;
  const id = userIdOf(inviter);
  return { kind: 'added', by: { id, name: localpartOf(id), isBot: false } };
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
