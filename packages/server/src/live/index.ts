import { Readable } from 'node:stream';
import { AppError, type Feed } from '@latchkey/kernel';
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
    const { open: listen, ttlSeconds } = visit.answer as Feed<{ changed: string }>;
    let unread = 0;
    const check = async () => {
      if (!(await mayStill(visit, server))) stream.finish();
    };
    const stopListening = listen((event) => {
      stream.say(event);
      if (event.changed === 'sessions') void check();
    });
    const beats = setInterval(() => {
      unread = stream.beat('still here') ? 0 : unread + 1;
      if (unread > limits.unreadBeats) stream.destroy();
      else void check();
    }, limits.beatMs);
    const life = setTimeout(() => stream.finish(), ttlSeconds * 1000);
    stream.once('close', () => {
      stopListening();
      clearInterval(beats);
      clearTimeout(life);
    });
    stream.push(': listening\n\n');
  }
}

/** Streams are counted per account, and for the operator per key. */
function callerOf({ actor }: Visit): string {
  switch (actor.kind) {
    case 'user':
      return `user ${actor.userId}`;
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

  /** Sends a comment to keep the connection open. Returns false if the reader has not read what was sent before. */
  beat(comment: string): boolean {
    if (!this.#isWanted) return false;
    this.#tell(`: ${comment}\n\n`);
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
  }

  #flush(): void {
    if (!this.#isWanted || this.#pending.size === 0) return;
    const text = [...this.#pending].join('');
    this.#pending.clear();
    this.#tell(text);
  }

  #tell(text: string): void {
    if (!this.#isOver) this.#isWanted = this.push(text);
  }
}

function frame(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
