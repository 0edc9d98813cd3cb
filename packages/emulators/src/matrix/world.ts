/** An event of a room, in the format of the client-server API. */
export interface MatrixEvent {
  event_id: string;
  type: string;
  room_id: string;
  sender: string;
  state_key?: string;
  content: Record<string, unknown>;
  origin_server_ts: number;
  unsigned?: { prev_content?: unknown; prev_sender?: string };
  /** Where it is in the stream of all events; not sent. */
  position: number;
}

export interface MatrixRoom {
  id: string;
  events: MatrixEvent[];
  /** The current state, by type and key. */
  state: Map<string, MatrixEvent>;
}

/** An error of the specification. */
export class MatrixError extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfterMs: number | undefined;

  constructor(status: number, code: string, message: string, retryAfterMs?: number) {
    super(message);
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

export const forbidden = (message: string) => new MatrixError(403, 'M_FORBIDDEN', message);

export type Membership = 'join' | 'invite' | 'knock' | 'leave' | 'ban';

/** What a homeserver keeps: users, rooms, and one stream of events. */
export class MatrixWorld {
  readonly server: string;
  readonly users = new Map<string, { token: string; name: string }>();
  readonly rooms = new Map<string, MatrixRoom>();
  readonly accountData = new Map<string, unknown>();
  /** Whom the account data of each type was sent to already is of no interest here: clients get it with the first sync. */
  readonly filters: unknown[] = [];
  position = 0;
  readonly #now: () => number;
  readonly #waiting = new Set<() => void>();
  #ids = 0;

  constructor(server: string, now: () => number) {
    this.server = server;
    this.#now = now;
  }

  now(): number {
    return this.#now();
  }

  nextId(): string {
    this.#ids += 1;
    return String(this.#ids).padStart(18, 'A');
  }

  addUser(localpart: string, name = localpart): { userId: string; token: string } {
    const userId = `@${localpart}:${this.server}`;
    const token = `syt_${localpart}_${this.nextId()}`;
    this.users.set(userId, { token, name });
    return { userId, token };
  }

  userOf(token: string): string | undefined {
    return [...this.users].find(([, user]) => user.token === token)?.[0];
  }

  room(id: string): MatrixRoom {
    const room = this.rooms.get(id);
    if (room === undefined) throw forbidden(`User not in room ${id}`);
    return room;
  }

  stateOf(room: MatrixRoom, type: string, key = ''): MatrixEvent | undefined {
    return room.state.get(`${type}\n${key}`);
  }

  membershipOf(room: MatrixRoom, userId: string): Membership | undefined {
    return this.stateOf(room, 'm.room.member', userId)?.content.membership as Membership | undefined;
  }

  /** Adds an event that the rules allowed, and wakes the requests that wait for news. */
  add(room: MatrixRoom, event: Pick<MatrixEvent, 'type' | 'sender' | 'content' | 'state_key'>): MatrixEvent {
    this.position += 1;
    const before = event.state_key === undefined ? undefined : this.stateOf(room, event.type, event.state_key);
    const added: MatrixEvent = {
      ...event,
      event_id: `$${this.nextId()}`,
      room_id: room.id,
      origin_server_ts: this.#now(),
      position: this.position,
      ...(before !== undefined && { unsigned: { prev_content: before.content, prev_sender: before.sender } }),
    };
    room.events.push(added);
    if (event.state_key !== undefined) room.state.set(`${event.type}\n${event.state_key}`, added);
    this.wake();
    return added;
  }

  wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }

  /** Resolves with the next event, or after the time that a client is willing to wait. */
  async nextEvent(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      timer.unref();
      this.#waiting.add(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}
