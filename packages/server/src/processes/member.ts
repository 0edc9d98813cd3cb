import cluster from 'node:cluster';
import { setTimeout as delay } from 'node:timers/promises';
import { inheritedEnvironment } from '../config.ts';
import { type FromMember, type Metrics, placeVariable, type ToMember } from './messages.ts';

const metricsTimeoutMs = 4_000;

/** This process as one of several that serve the same port. */
export interface Membership {
  /** Which of them it is, from 1. */
  place: number;
  count: number;
  /** Says that this process answers requests. */
  serving(): void;
  /** True once all of them have served, so that a balancer sends nobody before. */
  isOpen(): boolean;
  /** Resolves when they are all to stop. */
  stopAsked: Promise<void>;
  /** Lets the others read the metrics of this process. */
  publishMetrics(read: () => Promise<Metrics>): void;
  /** The metrics of all of them as one text; undefined when they cannot be collected. */
  readAllMetrics(): Promise<string | undefined>;
}

let joined: Membership | undefined;

/** What ties this process to those beside it; undefined for a process that serves alone. */
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
  let asked = 0;

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
    stopAsked: stop.promise,
    publishMetrics: (read) => {
      readOwn = read;
    },
    readAllMetrics: async () => {
      asked += 1;
      const id = asked;
      const answer = Promise.withResolvers<string>();
      awaited.set(id, answer.resolve);
      say({ kind: 'collect-metrics', id });
      const text = await Promise.race([answer.promise, delay(metricsTimeoutMs, undefined, { ref: false })]);
      awaited.delete(id);
      return text;
    },
  };
}

// Who started this process may be gone; then this one ends by itself.
function say(message: FromMember): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}
