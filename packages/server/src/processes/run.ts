import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Log } from '@latchkey/kernel';
import { AggregatorRegistry } from 'prom-client';
import type { Config } from '../config.ts';
import type { RootLog } from '../log.ts';
import { choosePort } from '../run/choose-port.ts';
import { findDatabase } from '../run/find-database.ts';
import { untilSignal } from '../run/until-signal.ts';
import { hangSignal } from '../watchdog/agreed.mjs';
import { type FromMember, type Metrics, placeVariable, type ToMember } from './messages.ts';

/** The time before the stop deadline at which remaining processes are killed. */
const marginMs = 1_000;
/** The minimum for a server: two connections of the system and two of tenants. */
const fewestConnections = 4;

/** Runs the API in several processes on one port, until a signal ends them. */
export async function runProcesses(config: Config, log: RootLog, count: number): Promise<void> {
  await untilSignal(config, log, 'supervisor', async (lifetime) => {
    const port = await choosePort(config);
    // The embedded database is started here, so that it outlives every server; they find it running.
    const database = await findDatabase(config, log);
    lifetime.add('the database', database.stop, database.pid);
    const group = superviseServers({
      count,
      log: log.for('processes'),
      environment: { LATCHKEY_PORT: String(port), LATCHKEY_DATABASE_CONNECTIONS: String(shareOf(config, count)) },
      graceMs: config.stopSeconds * 1000 - marginMs,
    });
    lifetime.add('the server processes', group.stop);
    await group.serving;
    log.info(`Latchkey server is running in ${count} processes.`, { port });
  });
}

/**
 * Members share the connections of one process, so that a machine with many cores does not use up the database's
 * connections.
 */
function shareOf({ databaseConnections }: Pick<Config, 'databaseConnections'>, count: number): number {
  return Math.max(fewestConnections, Math.floor(databaseConnections / count));
}

const program = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const firstPauseMs = 500;
const longestPauseMs = 30_000;

interface GroupOptions {
  count: number;
  log: Log;
  /** Environment variables of each member, in addition to those of this process. */
  environment: Record<string, string>;
  /** How long members may take to stop before they are killed. */
  graceMs: number;
}

interface ServerGroup {
  /** Resolves when all members have started serving; rejects if one exits before that. */
  serving: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs several servers on one port. This process accepts the connections and distributes them in turn, so that a server
 * that dies loses only the requests that it had started. One that exits unexpectedly is restarted.
 */
function superviseServers({ count, log, environment, graceMs }: GroupOptions): ServerGroup {
  cluster.setupPrimary({ exec: program, args: ['server'] });
  const ended = new AbortController();
  const served = Promise.withResolvers<void>();
  const serving = new Set<Worker>();
  const running = new Set<Worker>();
  const metrics = createMetricsCollector(send);
  let isOpen = false;

  function hear(worker: Worker, message: FromMember): void {
    switch (message.kind) {
      case 'serving':
        serving.add(worker);
        worker.emit('serving');
        openWhenAllServe();
        break;
      case 'metrics':
        metrics.take(message.id, message.metrics);
        break;
      case 'collect-metrics':
        metrics.collect([...serving]).then(
          (text) => send(worker, { kind: 'all-metrics', id: message.id, text }),
          (error: unknown) => log.warn('Could not collect the metrics of the processes.', { error }),
        );
        break;
    }
  }

  function openWhenAllServe(): void {
    isOpen ||= serving.size === count;
    if (!isOpen) return;
    for (const worker of serving) send(worker, { kind: 'open' });
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

  /** Keeps one server running at its place until the group stops. */
  async function keep(place: number, first: Worker): Promise<void> {
    let worker = first;
    for (let failures = 0; ; failures += 1) {
      worker.once('serving', () => {
        failures = 0;
      });
      const reason = await endOf(worker);
      if (ended.signal.aborted) return;
      if (!isOpen) {
        served.reject(new Error('A server process exited before all of them were ready. See the reason above.'));
        return;
      }
      if (reason === hangSignal)
        log.warn('A server process hung and was killed by its watchdog; starting a replacement.', { place });
      else log.warn('A server process exited unexpectedly; starting a replacement.', { place, reason });
      await delay(Math.min(firstPauseMs * 2 ** failures, longestPauseMs), undefined, { signal: ended.signal }).catch(
        () => undefined,
      );
      if (ended.signal.aborted) return;
      worker = launch(place);
    }
  }

  async function live(): Promise<void> {
    // Only the first one migrates the database and finds out whether the settings work; the others start after it.
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
      for (const worker of running) send(worker, { kind: 'stop' });
      const hurry = setTimeout(() => {
        for (const worker of running) worker.process.kill('SIGKILL');
      }, graceMs);
      while (running.size > 0) await Promise.all([...running].map(endOf));
      await life;
      clearTimeout(hurry);
    },
  };
}

function send(worker: Worker, message: ToMember): void {
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/** Waits until a process exits, and returns how it ended. */
async function endOf(worker: Worker): Promise<string> {
  if (worker.isDead()) return 'it ended';
  try {
    const [code, signal] = await once(worker, 'exit');
    return signal ?? `exit code ${code}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const patienceMs = 2_000;

interface MetricsCollector {
  /** Returns the metrics of these processes as one text. A process that does not respond in time is left out. */
  collect(members: readonly Worker[]): Promise<string>;
  /** Receives the metrics of a process. */
  take(id: number, metrics: Metrics): void;
}

/** Collects the metrics of all processes, since a scrape reaches any one of them. */
function createMetricsCollector(send: (worker: Worker, message: ToMember) => void): MetricsCollector {
  const awaited = new Map<number, (metrics: Metrics) => void>();
  let requested = 0;

  async function ask(worker: Worker): Promise<Metrics> {
    requested += 1;
    const id = requested;
    const answer = Promise.withResolvers<Metrics>();
    const none = () => answer.resolve([]);
    const late = setTimeout(none, patienceMs);
    worker.once('exit', none);
    awaited.set(id, answer.resolve);
    send(worker, { kind: 'send-metrics', id });
    const metrics = await answer.promise;
    clearTimeout(late);
    worker.off('exit', none);
    awaited.delete(id);
    return metrics;
  }

  return {
    collect: async (members) => AggregatorRegistry.aggregate(await Promise.all(members.map(ask))).metrics(),
    take: (id, metrics) => awaited.get(id)?.(metrics),
  };
}

const checkEveryMs = 10;

/** The message with which node:cluster passes a connection to a process, as far as it matters here. */
interface NewConnection {
  cmd: 'NODE_CLUSTER';
  act: 'newconn';
  seq: number;
}

/**
 * When a process dies, gives the connections that it was passed but never accepted to the others. A process that hangs
 * accepts none: node:cluster would keep the last ones open forever, with clients that wait for a response.
 *
 * There is no public API for this. node:cluster gives a connection to another process when the first one refuses it, so
 * this sends the refusal on behalf of the dead process. A connection that was not acknowledged was not read either:
 * processes acknowledge it first.
 */
function reclaimConnections(worker: Worker): void {
  const channel = worker.process;
  const unanswered = new Set<number>();
  const send = channel.send.bind(channel) as (...args: unknown[]) => boolean;
  channel.send = (...args: unknown[]) => {
    const [message] = args;
    if (isNewConnection(message)) unanswered.add(message.seq);
    return send(...args);
  };
  channel.on('internalMessage', ({ ack }: { ack?: number }) => {
    if (ack !== undefined) unanswered.delete(ack);
  });
  const reclaim = () => {
    // Until the channel has been read to its end, it may still contain an acknowledgement.
    if (channel.connected) setTimeout(reclaim, checkEveryMs);
    else for (const ack of unanswered) channel.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
  };
  // 'disconnect' is not emitted while a connection is unacknowledged.
  worker.once('exit', reclaim);
}

function isNewConnection(message: unknown): message is NewConnection {
  const { cmd, act, seq } = Object(message) as Partial<NewConnection>;
  return cmd === 'NODE_CLUSTER' && act === 'newconn' && typeof seq === 'number';
}
