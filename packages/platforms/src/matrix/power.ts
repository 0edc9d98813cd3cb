import { type Fields, fieldsOf, Malformed } from '@latchkey/adapter-kit';
import { isObject } from '@latchkey/kernel';
import { userIdOf } from './ids.ts';

/** What a room's power levels and its creation say (Client-Server API, m.room.power_levels and m.room.create). */
export interface Power {
  /** The content of the event, to be sent back with a change. */
  content: Fields;
  /** From room version 12 on, creators have more power than any level. */
  creators: readonly string[];
  creator: string;
  hasCreatorPower: boolean;
}

/** Actions that a level may allow, by the field that states the level, with the default of the specification. */
const actions = { invite: 0, kick: 50, ban: 50, redact: 50, state_default: 50, events_default: 0, users_default: 0 };
type Action = keyof typeof actions;

/** Throws `Malformed`. `content` is undefined if the room has no power levels. */
export function parsePower(content: unknown, create: unknown): Power {
  const event = fieldsOf(create, 'the creation of a room');
  const creation = fieldsOf(event.content, 'the creation of a room');
  const creator = userIdOf(event.sender);
  const more = Array.isArray(creation.additional_creators) ? creation.additional_creators.map(userIdOf) : [];
  const [, major = '1'] = /^(\d+)/.exec(String(creation.room_version ?? '1')) ?? [];
  return {
    // Without the event, the creator alone has power.
    content: content === undefined ? { users: { [creator]: 100 }, state_default: 0 } : levelsOf(content),
    creators: [creator, ...more],
    creator,
    hasCreatorPower: Number(major) >= 12,
  };
}

/** Power levels in which every level is one: what is not readable must not count as the default. Throws `Malformed`. */
function levelsOf(content: unknown): Fields {
  const levels = fieldsOf(content, 'the power levels');
  for (const action of Object.keys(actions)) levelFrom(levels[action], 0);
  for (const part of [levels.users, levels.events])
    if (part !== undefined) for (const level of Object.values(fieldsOf(part, 'the power levels'))) levelFrom(level, 0);
  return levels;
}

/** Old rooms have levels as strings. Throws `Malformed`. */
function levelFrom(value: unknown, fallback: number): number {
  if (value === undefined) return fallback;
  const level = typeof value === 'string' && /^\s*-?\d{1,15}\s*$/.test(value) ? Number(value) : value;
  if (typeof level !== 'number' || !Number.isSafeInteger(level)) throw new Malformed('a power level is not an integer');
  return level;
}

/** The level that an action needs. */
export function neededFor({ content }: Power, action: Action): number {
  return levelFrom(content[action], actions[action]);
}

/** The level that sending a state event needs. */
export function neededToSet(power: Power, eventType: string): number {
  const events = isObject(power.content.events) ? power.content.events : {};
  return levelFrom(Object.hasOwn(events, eventType) ? events[eventType] : undefined, neededFor(power, 'state_default'));
}

/** A user's level. Creators of new rooms have an infinite one. */
export function levelOf(power: Power, userId: string): number {
  if (power.hasCreatorPower && power.creators.includes(userId)) return Number.POSITIVE_INFINITY;
  return explicitLevelOf(power, userId) ?? neededFor(power, 'users_default');
}

/** The level that is set for this user alone; undefined if they have the level of everyone. */
export function explicitLevelOf({ content }: Power, userId: string): number | undefined {
  const users = isObject(content.users) ? content.users : {};
  return Object.hasOwn(users, userId) ? levelFrom(users[userId], 0) : undefined;
}

/** The content with another level for one user; undefined gives them the level of everyone. */
export function withLevel({ content }: Power, userId: string, level: number | undefined): Fields {
  const users = { ...(isObject(content.users) ? content.users : {}) };
  if (level === undefined) delete users[userId];
  else users[userId] = level;
  return { ...content, users };
}

/** Every level that means something in the room, ascending, above that of everyone. */
export function knownLevels(power: Power): number[] {
  const { content } = power;
  const given = [content.users, content.events].flatMap((part) => (isObject(part) ? Object.values(part) : []));
  const stated = (Object.keys(actions) as Action[]).map((action) => neededFor(power, action));
  const levels = new Set([...given.map((level) => levelFrom(level, 0)), ...stated]);
  return [...levels].filter((level) => level > neededFor(power, 'users_default')).toSorted((a, b) => a - b);
}

const moderation = {
  kick: 'Remove users',
  ban: 'Ban users',
  redact: 'Delete messages',
  state_default: 'Change settings',
};

/** What members with this level may do to others, or to the room, in the words of Matrix clients. */
export function rulingPermissions(power: Power, level: number): string[] {
  const allowed = Object.entries(moderation).filter(([action]) => neededFor(power, action as Action) <= level);
  const changes = neededToSet(power, powerLevels) <= level ? ['Change permissions'] : [];
  return [...allowed.map(([, words]) => words), ...changes];
}

export const powerLevels = 'm.room.power_levels';
