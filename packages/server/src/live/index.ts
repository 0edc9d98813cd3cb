import { Readable } from 'node:stream';
import { type Announcement, announcementsFor } from '@latchkey/core';
import { AppError, type Feed, type KeptFeed } from '@latchkey/kernel';
import { authenticate } from '../http/steps/authenticate.ts';
import { requireAdmission, requireScopes } from '../http/steps/authorize.ts';
import type { Server, Visit } from '../http/visit.ts';

export const eventHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies that buffer responses would delay events.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

export interface LiveStreams {
  /** Opens the stream that an operation returned. Throws RATE_LIMITED if the caller has too many open. */
  open(visit: Visit): EventStream;
  /** Ends all streams, so that a stopping server need not wait for readers. */
  close(): void;
}

interface Limits {
  perCaller: number;
  beatMs: number;
  /** How many heartbeats in a row the reader has not read. */
  unreadBeats: number;
}

const usual: Limits = { perCaller: 20, beatMs: 20_000, unreadBeats: 3 };

export function createLiveStreams(server: Server, limits: Limits = usual): LiveStreams {
  const open = new Map<string, Set<EventStream>>();
  let isClosed = false;

  function enter(caller: string, stream: EventStream): void {
    const same = open.get(caller) ?? new Set();
    if (same.size >= limits.perCaller)
      throw new AppError(
        'RATE_LIMITED',
        `At most ${limits.perCaller} live streams can be open at a time. Close some, for example in other tabs.`,
        { retryAfterSeconds: 30 },
      );
    open.set(caller, same.add(stream));
    stream.once('close', () => {
      same.delete(stream);
      if (same.size === 0) open.delete(caller);
    });
  }

  return {
    open: (visit) => {
      const stream = new EventStream();
      enter(callerOf(visit), stream);
      if (isClosed) stream.finish();
      else attend(stream, visit);
      return stream;
    },
    close: () => {
      isClosed = true;
      for (const stream of [...open.values()].flatMap((same) => [...same])) stream.finish();
    },
  };

  /** Feeds a stream until its reader disconnects, loses access, or its time is up. */
  function attend(stream: EventStream, visit: Visit): void {
    const feed = visit.answer as Feed<{ changed: string }> | KeptFeed<object>;
    let unread = 0;
    const check = async () => {
      if (!(await mayStill(visit, server))) stream.finish();
    };
    const follow = 'read' in feed ? followKept(feed, stream, server) : undefined;
    const stops =
      'read' in feed
        ? [
            feed.watch(() => follow?.()),
            announcementsFor(server.services, (news) => concerns(news, visit)).open(() => void check()),
          ]
        : [
            feed.open((event) => {
              stream.say(event);
              if (event.changed === 'sessions') void check();
            }),
          ];
    const beats = setInterval(() => {
      unread = stream.beat('still here') ? 0 : unread + 1;
      if (unread > limits.unreadBeats) stream.destroy();
      else void check();
      // An announcement may be lost with a connection to the database.
      follow?.();
    }, limits.beatMs);
    const life = setTimeout(() => stream.finish(), feed.ttlSeconds * 1000);
    stream.once('close', () => {
      for (const stop of stops) stop();
      clearInterval(beats);
      clearTimeout(life);
    });
    stream.push(': listening\n\n');
    follow?.();
  }
}

/**
 * Returns a function that sends what there is to read. It reads only as much as the reader takes, so that a slow one
 * costs no memory: it reads on when the reader does, and is disconnected if it stays away.
 */
function followKept(feed: KeptFeed<object>, stream: EventStream, { services }: Server): () => void {
  let after = feed.start;
  let isReading = false;
  let isAskedAgain = false;
  const readOn = async () => {
    do {
      isAskedAgain = false;
      const { events, next } = await feed.read(after);
      if (stream.destroyed) return;
      after = next;
      if (events.length === 0) continue;
      isAskedAgain = true;
      if (!stream.send(events)) return;
    } while (isAskedAgain);
  };
  const follow = () => {
    isAskedAgain = true;
    if (isReading || stream.destroyed || !stream.isTaking) return;
    isReading = true;
    readOn()
      .catch(() => {
        // The next heartbeat tries again, from the same place.
        services.log.for('live').warn('Failed to read events for a stream.');
        return true;
      })
      .then((hasFailed) => {
        isReading = false;
        if (isAskedAgain && hasFailed !== true) follow();
      });
  };
  stream.onTake(follow);
  return follow;
}

/** Whether a change may be that of the caller's credential or access. */
function concerns({ id, accounts = [] }: Announcement, { actor }: Visit): boolean {
  const own = actor.kind === 'admin' ? actor.keyId : actor.client?.id;
  return (own !== undefined && id === own) || (actor.kind === 'user' && accounts.includes(actor.userId));
}

/** Streams are counted per account, per application, and for the operator per key. */
function callerOf({ actor }: Visit): string {
  switch (actor.kind) {
    case 'user':
      return `user ${actor.userId}`;
    case 'client':
      return `client ${actor.client.id}`;
    case 'admin':
      return `admin ${actor.keyId ?? actor.name}`;
    default:
      return actor.kind;
  }
}

/**
 * Whether a caller would still be admitted, as the same actor. A failed check is inconclusive: the caller stays until a
 * later check succeeds.
 */
async function mayStill(visit: Visit, server: Server): Promise<boolean> {
  const again: Visit = { ...visit, actor: { kind: 'anonymous' }, client: undefined, isUse: false };
  try {
    await authenticate(again, server);
    requireScopes(again);
    await requireAdmission(again, server);
    return true;
  } catch (error) {
    const isRefusal = error instanceof AppError && error.status < 500 && error.code !== 'RATE_LIMITED';
    if (!isRefusal) server.services.log.for('live').debug('Failed to check whether a live stream is still authorized.');
    return !isRefusal;
  }
}

/** With more distinct events than this, send a single event that everything may have changed. */
const mostPending = 50;

/**
 * Server-sent events for one reader. An event only triggers a reload, so each pending event is kept once for a slow
 * reader, however often it occurs.
 */
export class EventStream extends Readable {
  readonly #pending = new Set<string>();
  #isWanted = false;
  #isOver = false;
  #take: () => void = () => undefined;

  /** Whether the reader has read what was sent before. */
  get isTaking(): boolean {
    return this.#isWanted && !this.#isOver;
  }

  /** Calls `take` whenever the reader has read what was sent before. */
  onTake(take: () => void): void {
    this.#take = take;
  }

  /** Sends kept events. Returns whether the reader takes more. */
  send(events: readonly { id: string; event: object }[]): boolean {
    this.#write(events.map(({ id, event }) => `id: ${id}\n${frame(event)}`).join(''));
    return this.isTaking;
  }

  /** Sends a comment to keep the connection open. Returns false if the reader has not read what was sent before. */
  beat(comment: string): boolean {
    if (!this.#isWanted) return false;
    this.#write(`: ${comment}\n\n`);
    return true;
  }

  say(event: object): void {
    if (this.#pending.size >= mostPending) {
      this.#pending.clear();
      this.#pending.add(frame({ changed: 'everything' }));
    }
    this.#pending.add(frame(event));
    this.#flush();
  }

  /** Ends the stream. */
  finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.push(null);
  }

  override _read(): void {
    this.#isWanted = true;
    this.#flush();
    if (this.#isWanted) this.#take();
  }

  #flush(): void {
    if (!this.#isWanted || this.#pending.size === 0) return;
    const text = [...this.#pending].join('');
    this.#pending.clear();
    this.#write(text);
  }

  #write(text: string): void {
    if (!this.#isOver) this.#isWanted = this.push(text);
  }
}

function frame(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
