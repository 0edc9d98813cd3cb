import { forbidden, type MatrixRoom, type MatrixWorld, type Membership } from './world.ts';

type Fields = Readonly<Record<string, unknown>>;

const defaults: Readonly<Record<string, number>> = {
  users_default: 0,
  events_default: 0,
  state_default: 50,
  invite: 0,
  kick: 50,
  ban: 50,
  redact: 50,
};

function contentOf(world: MatrixWorld, room: MatrixRoom): Fields {
  return world.stateOf(room, 'm.room.power_levels')?.content ?? {};
}

function partOf(content: Fields, name: string): Record<string, number> {
  return { ...((content[name] ?? {}) as Record<string, number>) };
}

export function levelOf(world: MatrixWorld, room: MatrixRoom, userId: string): number {
  const create = world.stateOf(room, 'm.room.create');
  const hasInfinite = Number(create?.content.room_version ?? 0) >= 12 && create?.sender === userId;
  if (hasInfinite) return Number.POSITIVE_INFINITY;
  const content = contentOf(world, room);
  return partOf(content, 'users')[userId] ?? needed(world, room, 'users_default');
}

function needed(world: MatrixWorld, room: MatrixRoom, action: string): number {
  return Number(contentOf(world, room)[action] ?? defaults[action] ?? 0);
}

export function requireJoined(world: MatrixWorld, room: MatrixRoom, userId: string): void {
  if (world.membershipOf(room, userId) !== 'join') throw forbidden(`User ${userId} not in room ${room.id}`);
}

/** Authorization rules of the specification for memberships (room version 10 and later). */
export function changeMembership(
  world: MatrixWorld,
  room: MatrixRoom,
  sender: string,
  target: string,
  to: Membership,
  extra: Fields = {},
): void {
  const before = world.membershipOf(room, target);
  const level = (userId: string) => levelOf(world, room, userId);
  switch (to) {
    case 'join':
      if (before === 'join') return;
      if (before === 'ban') throw forbidden(`${target} is banned from the room`);
      if (before !== 'invite') {
        const way = openTo(world, room, target);
        if (way === undefined) throw forbidden('You are not invited to this room.');
        // Room version 8 and later: a member who may invite vouches for the other room.
        if (way === 'restricted') extra = { ...extra, join_authorised_via_users_server: voucherOf(world, room) };
      }
      break;
    case 'knock':
      if (!['knock', 'knock_restricted'].includes(ruleOf(world, room)))
        throw forbidden('You can’t knock on this room.');
      if (before === 'join' || before === 'ban' || before === 'invite')
        throw forbidden('You can’t knock on this room.');
      break;
    case 'invite':
      requireJoined(world, room, sender);
      if (before === 'join') throw forbidden(`${target} is already in the room.`);
      if (before === 'ban') throw forbidden(`${target} is banned from the room`);
      if (level(sender) < needed(world, room, 'invite')) throw forbidden('You don’t have permission to invite users');
      break;
    case 'leave':
      if (sender === target) {
        if (before === undefined || before === 'leave' || before === 'ban') throw forbidden('User not in room');
        break;
      }
      requireJoined(world, room, sender);
      if (before === undefined || before === 'leave') throw forbidden('The target user is not in the room');
      if (level(sender) < needed(world, room, before === 'ban' ? 'ban' : 'kick') || level(sender) <= level(target))
        throw forbidden(`You cannot kick user ${target}.`);
      break;
    case 'ban':
      requireJoined(world, room, sender);
      if (level(sender) < needed(world, room, 'ban') || level(sender) <= level(target))
        throw forbidden(`You don’t have permission to ban`);
  }
  const name =
    to === 'join' || to === 'invite' || to === 'knock' ? { displayname: world.users.get(target)?.name ?? target } : {};
  world.add(room, { type: 'm.room.member', sender, state_key: target, content: { ...extra, ...name, membership: to } });
}

function ruleOf(world: MatrixWorld, room: MatrixRoom): string {
  return String(world.stateOf(room, 'm.room.join_rules')?.content.join_rule ?? 'invite');
}

/** How a user may enter without an invite, if anyone may, or members of a room that the rule names. */
function openTo(world: MatrixWorld, room: MatrixRoom, userId: string): 'public' | 'restricted' | undefined {
  const rule = ruleOf(world, room);
  if (rule === 'public') return 'public';
  if (rule !== 'restricted' && rule !== 'knock_restricted') return undefined;
  const allow = world.stateOf(room, 'm.room.join_rules')?.content.allow;
  const isAllowed = (Array.isArray(allow) ? allow : []).some(({ room_id: id }: { room_id?: string }) => {
    const other = id === undefined ? undefined : world.rooms.get(id);
    return other !== undefined && world.membershipOf(other, userId) === 'join';
  });
  return isAllowed && voucherOf(world, room) !== undefined ? 'restricted' : undefined;
}

/** A member who may invite others; without one, a homeserver lets nobody in through another room. */
function voucherOf(world: MatrixWorld, room: MatrixRoom): string | undefined {
  const members = [...room.state.values()].filter(
    ({ type, content }) => type === 'm.room.member' && content.membership === 'join',
  );
  return members
    .map(({ state_key: userId = '' }) => userId)
    .find((userId) => levelOf(world, room, userId) >= needed(world, room, 'invite'));
}

/** Sends a state event or a message, as far as the sender's level allows. */
export function sendEvent(
  world: MatrixWorld,
  room: MatrixRoom,
  sender: string,
  event: { type: string; state_key?: string; content: Record<string, unknown> },
) {
  requireJoined(world, room, sender);
  const events = partOf(contentOf(world, room), 'events');
  const action = event.state_key === undefined ? 'events_default' : 'state_default';
  if (levelOf(world, room, sender) < (events[event.type] ?? needed(world, room, action)))
    throw forbidden(`You don’t have permission to post that to the room. user_level (${levelOf(world, room, sender)})`);
  if (event.type === 'm.room.power_levels') checkLevels(world, room, sender, event.content);
  return world.add(room, { ...event, sender });
}

/** Nobody changes a level above their own, gives a higher one, or changes a user of their own level. */
function checkLevels(world: MatrixWorld, room: MatrixRoom, sender: string, next: Fields): void {
  const own = levelOf(world, room, sender);
  const before = contentOf(world, room);
  const refuse = () => {
    throw forbidden('You don’t have permission to add ops level greater than your own');
  };
  const compare = (old: number | undefined, now: number | undefined, isOthers = false) => {
    if (old === now) return;
    if ((old ?? 0) > own || (now ?? 0) > own || (isOthers && old !== undefined && old >= own)) refuse();
  };
  for (const name of Object.keys(defaults))
    compare(before[name] as number | undefined, next[name] as number | undefined);
  for (const name of ['users', 'events']) {
    const [old, now] = [partOf(before, name), partOf(next, name)];
    for (const key of new Set([...Object.keys(old), ...Object.keys(now)]))
      compare(old[key], now[key], name === 'users' && key !== sender);
  }
}
