import type { MatrixEvent, MatrixRoom, MatrixWorld } from './world.ts';

interface Filter {
  limit: number;
  timeline: readonly string[] | undefined;
  state: readonly string[] | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

export function readFilter(world: MatrixWorld, text: string | null): Filter {
  const given = text?.startsWith('{') ? JSON.parse(text) : world.filters[Number(text ?? -1)];
  const { timeline = {}, state = {} } = ((given as Fields | undefined)?.room ?? {}) as Record<string, Fields>;
  return {
    limit: Number(timeline.limit ?? 10),
    timeline: timeline.types as string[] | undefined,
    state: state.types as string[] | undefined,
  };
}

export function shown({ position: _, ...event }: MatrixEvent) {
  return event;
}

const fits = (types: readonly string[] | undefined) => (event: MatrixEvent) => types?.includes(event.type) ?? true;

/** The response of `/sync` for one user, with everything after a position. */
export function syncFor(world: MatrixWorld, userId: string, since: number | undefined, filter: Filter) {
  const rooms = [...world.rooms.values()].map((room) => ({ room, membership: world.membershipOf(room, userId) }));
  const of = (wanted: string) => rooms.filter(({ membership }) => membership === wanted).map(({ room }) => room);
  const changedSince = (room: MatrixRoom) => {
    const own = world.stateOf(room, 'm.room.member', userId);
    return since === undefined || (own?.position ?? 0) > since;
  };
  const join = of('join').flatMap((room) => {
    const part = joinedPart(world, room, userId, since, filter);
    return part === undefined ? [] : [[room.id, part] as const];
  });
  const invite = of('invite')
    .filter(changedSince)
    .map((room) => [room.id, { invite_state: { events: stripped(room, userId) } }]);
  const left = [...of('leave'), ...of('ban')].filter((room) => since !== undefined && changedSince(room));
  const leave = left.map((room) => [
    room.id,
    { state: { events: [] }, timeline: { events: [], limited: false, prev_batch: 's0' } },
  ]);
  const isEmpty = join.length + invite.length + leave.length === 0;
  return {
    isEmpty,
    body: {
      next_batch: `s${world.position}`,
      rooms: { join: Object.fromEntries(join), invite: Object.fromEntries(invite), leave: Object.fromEntries(leave) },
    },
  };
}

function joinedPart(world: MatrixWorld, room: MatrixRoom, userId: string, since: number | undefined, filter: Filter) {
  const joinedAt = world.stateOf(room, 'm.room.member', userId)?.position ?? 0;
  // A room that was just joined is shown from its beginning.
  const from = since === undefined || joinedAt > since ? 0 : since;
  const news = room.events.filter(({ position }) => position > from);
  if (news.length === 0) return undefined;
  const wanted = news.filter(fits(filter.timeline));
  const events = wanted.slice(-Math.max(1, filter.limit));
  const start = events[0]?.position ?? Number.POSITIVE_INFINITY;
  const state = [...room.state.values()]
    .filter(({ position }) => position > from && position < start)
    .filter(fits(filter.state));
  return {
    timeline: { events: events.map(shown), limited: events.length < wanted.length, prev_batch: `s${from}` },
    state: { events: state.map(shown) },
    ephemeral: { events: [] },
    account_data: { events: [] },
    summary: {},
    unread_notifications: {},
  };
}

const strippedTypes = ['m.room.create', 'm.room.name', 'm.room.avatar', 'm.room.join_rules', 'm.room.encryption'];

/** What a user who is not in a room yet sees of it. */
function stripped(room: MatrixRoom, userId: string) {
  return [...room.state.values()]
    .filter(
      (event) => strippedTypes.includes(event.type) || (event.type === 'm.room.member' && event.state_key === userId),
    )
    .map(({ type, sender, state_key, content }) => ({ type, sender, state_key, content }));
}
