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

/** What is left of the time to stop when the processes that still run are ended. */
const marginMs = 1_000;
/** What a server cannot do without: two connections of the system and two of tenants. */
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

/** They share what one process may open, so that a machine with many cores does not use up the database's connections. */
function shareOf({ databaseConnections }: Pick<Config, 'databaseConnections'>, count: number): number {
  return Math.max(fewestConnections, Math.floor(databaseConnections / count));
}

const program = fileURLToPath(new URL('../cli/main.ts', import.meta.url));
const firstPauseMs = 500;
const longestPauseMs = 30_000;

interface GroupOptions {
  count: number;
  log: Log;
  /** Variables that each process is told beyond those of this one. */
  environment: Record<string, string>;
  /** How long they may take to stop before they are ended. */
  graceMs: number;
}

interface ServerGroup {
  /** Resolves when all of them serve for the first time; fails when one ends before. */
  serving: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Runs several servers on one port. This process takes the connections and gives them out in turn, so that a server which
 * ends takes down only the requests that it had begun. One that ends without having been told to is started again.
 */
function superviseServers({ count, log, environment, graceMs }: GroupOptions): ServerGroup {
  cluster.setupPrimary({ exec: program, args: ['server'] });
  const ended = new AbortController();
  const served = Promise.withResolvers<void>();
  const serving = new Set<Worker>();
  const running = new Set<Worker>();
  const metrics = createMetricsCollector(tell);
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
          (text) => tell(worker, { kind: 'all-metrics', id: message.id, text }),
          (error: unknown) => log.warn('Could not collect the metrics of the processes.', { error }),
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

const patienceMs = 2_000;

interface MetricsCollector {
  /** The metrics of these processes as one text. One that does not tell its own in time is left out. */
  collect(members: readonly Worker[]): Promise<string>;
  /** Takes what a process told. */
  take(id: number, metrics: Metrics): void;
}

/** Collects the metrics of all processes, since who asks for them reaches any one of these. */
function createMetricsCollector(tell: (worker: Worker, message: ToMember) => void): MetricsCollector {
  const awaited = new Map<number, (metrics: Metrics) => void>();
  let asked = 0;

  async function ask(worker: Worker): Promise<Metrics> {
    asked += 1;
    const id = asked;
    const answer = Promise.withResolvers<Metrics>();
    const none = () => answer.resolve([]);
    const late = setTimeout(none, patienceMs);
    worker.once('exit', none);
    awaited.set(id, answer.resolve);
    tell(worker, { kind: 'send-metrics', id });
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

/** What node:cluster sends a process with a new connection, as far as it matters here. */
interface NewConnection {
  cmd: 'NODE_CLUSTER';
  act: 'newconn';
  seq: number;
}

/**
 * Gives connections that a process was handed and never took to the others when it ends. A process that hangs takes none:
 * node:cluster would keep what it handed over last open for good, with a client that waits for a response.
 *
 * There is no public way to this. node:cluster gives a connection to another process when the first one refuses it, so
 * the refusal that a dead process cannot send any more is sent in its name. A connection that was not acknowledged was
 * not read either: processes acknowledge it first.
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
    // Until the channel has been read to its end, an acknowledgement may still be in it.
    if (channel.connected) setTimeout(reclaim, checkEveryMs);
    else for (const ack of unanswered) channel.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false });
  };
  // 'disconnect' does not come as long as a connection is not acknowledged.
  worker.once('exit', reclaim);
}

function isNewConnection(message: unknown): message is NewConnection {
  const { cmd, act, seq } = Object(message) as Partial<NewConnection>;
  return cmd === 'NODE_CLUSTER' && act === 'newconn' && typeof seq === 'number';
}
