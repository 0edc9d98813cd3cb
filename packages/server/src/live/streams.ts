import { AppError, type Feed } from '@latchkey/kernel';
import type { Server, Visit } from '../http/visit.ts';
import { EventStream } from './event-stream.ts';
import { mayStill } from './may-still.ts';

export const eventHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies that collect answers before they pass them on would keep events for themselves.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

export interface LiveStreams {
  /** Opens the stream that an operation answered with; throws RATE_LIMITED when the caller has too many. */
  open(visit: Visit): EventStream;
  /** Ends all of them, so that a server which stops need not wait for readers. */
  close(): void;
}

interface Limits {
  perCaller: number;
  beatMs: number;
  /** So many beats in a row may find that the reader has not taken what was said. */
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

  /** Feeds a stream until its reader leaves, may not listen any more, or its time is up. */
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

/** People share an account only with themselves; keys of the operator are told apart. */
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
