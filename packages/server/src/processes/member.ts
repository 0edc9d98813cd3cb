import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { inheritedEnvironment } from '../config.ts';
import { type FromMember, type Metrics, placeVariable, type ToMember } from './messages.ts';

const metricsTimeoutMs = 4_000;

/** This process as a member of a group that serves the same port. */
export interface Membership {
  /** Its number in the group, starting at 1. */
  place: number;
  count: number;
  /** Reports that this process serves requests. */
  serving(): void;
  /** True once all members have started serving, so that a load balancer sends no requests before. */
  isOpen(): boolean;
  /** Resolves when the group is to stop. */
  stopRequested: Promise<void>;
  /** Lets other members read this process's metrics. */
  publishMetrics(read: () => Promise<Metrics>): void;
  /** Returns the metrics of all members as one text; undefined if they cannot be collected. */
  readAllMetrics(): Promise<string | undefined>;
}

let joined: Membership | undefined;

/** Returns this process's membership in its group; undefined if it serves alone. */
export function membership(): Membership | undefined {
  if (cluster.isWorker) joined ??= join();
  return joined;
}

function join(): Membership {
  const [place = 1, count = 1] = (inheritedEnvironment()[placeVariable] ?? '').split('/').map(Number);
  const stop = Promise.withResolvers<void>();
  const awaited = new Map<number, (text: string) => void>();
  let isOpen = false;
  let readOwn: () => Promise<Metrics> = async () => [];
  let requested = 0;

  process.on('message', (message: ToMember) => {
    switch (message.kind) {
      case 'open':
        isOpen = true;
        break;
      case 'stop':
        stop.resolve();
        break;
      case 'send-metrics':
        readOwn().then(
          (metrics) => say({ kind: 'metrics', id: message.id, metrics }),
          () => say({ kind: 'metrics', id: message.id, metrics: [] }),
        );
        break;
      case 'all-metrics':
        awaited.get(message.id)?.(message.text);
        break;
    }
  });

  return {
    place,
    count,
    serving: () => say({ kind: 'serving' }),
    isOpen: () => isOpen,
    stopRequested: stop.promise,
    publishMetrics: (read) => {
      readOwn = read;
    },
    readAllMetrics: async () => {
      requested += 1;
      const id = requested;
      const answer = Promise.withResolvers<string>();
      awaited.set(id, answer.resolve);
      say({ kind: 'collect-metrics', id });
      const text = await Promise.race([answer.promise, delay(metricsTimeoutMs, undefined, { ref: false })]);
      awaited.delete(id);
      return text;
    },
  };
}

// The parent process may be gone; then this one exits on its own.
function say(message: FromMember): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
