import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Log } from '@latchkey/kernel';
import { hangSignal } from '../watchdog/agreed.mjs';
import { createFigureCollector } from './collect-figures.ts';
import { type FromMember, placeVariable, type ToMember } from './messages.ts';
import { reclaimConnections } from './reclaim-connections.ts';

const program = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const firstPauseMs = 500;
const longestPauseMs = 30_000;

export interface GroupOptions {
  count: number;
  log: Log;
  /** Variables that each process is told beyond those of this one. */
  environment: Record<string, string>;
  /** How long they may take to stop before they are ended. */
  graceMs: number;
}

export interface ServerGroup {
  /** Resolves when all of them serve for the first time; fails when one ends before. */
  serving: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs several servers on one port. This process takes the connections and gives them out in turn, so that a server which
 * ends takes down only the requests that it had begun. One that ends without having been told to is started again.
 */
export function superviseServers({ count, log, environment, graceMs }: GroupOptions): ServerGroup {
  cluster.setupPrimary({ exec: program, args: ['server'] });
  const ended = new AbortController();
  const served = Promise.withResolvers<void>();
  const serving = new Set<Worker>();
  const running = new Set<Worker>();
  const figures = createFigureCollector(tell);
  let isOpen = false;

  function hear(worker: Worker, message: FromMember): void {
    switch (message.kind) {
      case 'serving':
        serving.add(worker);
        worker.emit('serving');
        openWhenAllServe();
        break;
      case 'figures':
        figures.take(message.id, message.figures);
        break;
      case 'ask-figures':
        figures.collect([...serving]).then(
          (text) => tell(worker, { kind: 'all-figures', id: message.id, text }),
          (error: unknown) => log.warn('The figures of the processes could not be collected.', { error }),
        );
        break;
    }
  }

  function openWhenAllServe(): void {
    isOpen ||= serving.size === count;
    if (!isOpen) return;
    for (const worker of serving) tell(worker, { kind: 'open' });
    served.resolve();
  }

  function launch(place: number): Worker {
    const worker = cluster.fork({ ...environment, [placeVariable]: `${place}/${count}` });
    running.add(worker);
    reclaimConnections(worker);
    worker.on('message', (message: FromMember) => hear(worker, message));
    worker.once('exit', () => {
      running.delete(worker);
      serving.delete(worker);
    });
    return worker;
  }

  /** Keeps one server running at its place, from its first moment to the end of all. */
  async function keep(place: number, first: Worker): Promise<void> {
    let worker = first;
    for (let failures = 0; ; failures += 1) {
      worker.once('serving', () => {
        failures = 0;
      });
      const reason = await endOf(worker);
      if (ended.signal.aborted) return;
      if (!isOpen) {
        served.reject(new Error('A server process ended before all of them served. It has said why, above.'));
        return;
      }
      if (reason === hangSignal)
        log.warn('A server process hung and was ended by its watchdog; starting another in its place.', { place });
      else log.warn('A server process ended unexpectedly; starting another in its place.', { place, reason });
      await delay(Math.min(firstPauseMs * 2 ** failures, longestPauseMs), undefined, { signal: ended.signal }).catch(
        () => undefined,
      );
      if (ended.signal.aborted) return;
      worker = launch(place);
    }
  }

  async function live(): Promise<void> {
    // The first one alone migrates the database and finds out whether the settings work; the others start after it.
    const first = launch(1);
    const lives = [keep(1, first)];
    await Promise.race([once(first, 'serving'), ...lives]);
    if (!serving.has(first)) return;
    for (let place = 2; place <= count && !ended.signal.aborted; place += 1) lives.push(keep(place, launch(place)));
    await Promise.all(lives);
  }

  const life = live();
  served.promise.catch(() => undefined);
  return {
    serving: served.promise,
    stop: async () => {
      ended.abort();
      for (const worker of running) tell(worker, { kind: 'stop' });
      const hurry = setTimeout(() => {
        for (const worker of running) worker.process.kill('SIGKILL');
      }, graceMs);
      while (running.size > 0) await Promise.all([...running].map(endOf));
      await life;
      clearTimeout(hurry);
    },
  };
}

function tell(worker: Worker, message: ToMember): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/** Waits for the end of a process, and says how it came about. */
async function endOf(worker: Worker): Promise<string> {
  if (worker.isDead()) return 'it ended';
  try {
    const [code, signal] = await once(worker, 'exit');
    return signal ?? `exit code ${code}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
