import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { claimServer } from './claim-server.ts';
import { ensureCluster } from './ensure-cluster.ts';
import { EmbeddedPostgresError, errorCode, useAnotherServer } from './error.ts';
import { type Binaries, findBinaries } from './find-binaries.ts';
import { findRunning, type Running } from './find-running.ts';
import { type Launch, launch } from './launch.ts';
import { type Layout, layoutOf } from './layout.ts';
import { applicationDatabase, applicationRole, prepareDatabase } from './prepare-database.ts';
import { unprivilegedPrefix } from './run-program.ts';
import { makeSocketFolder, removeRuntimeFolder, socketUrl } from './socket-folder.ts';
import { type StopMode, stopServer } from './stop-server.ts';

export interface EmbeddedOptions {
  /** Holds the database and nothing else; made if it does not exist. */
  dataDir: string;
  log: (line: string) => void;
  /** PostgreSQL settings beyond the defaults. A server that is already running keeps the ones it has. */
  settings?: Record<string, string>;
}

export interface EmbeddedPostgres {
  /** For pg: the ordinary role and database of the application, over a Unix socket. */
  url: string;
  /** The superuser, for making databases in tests. */
  adminUrl: string;
  pid: number;
  /** True for the process that started the server, and for one that found it after its starter was killed. */
  owned: boolean;
  /** Stops the server if this process owns it, and waits until it has ended; otherwise leaves it to its owner. */
  stop(mode?: StopMode): Promise<void>;
}

const startPatienceMs = 120_000;
const retryMs = 100;

/** Starts a PostgreSQL server on a data folder, or joins the one that already runs there. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const layout = layoutOf(resolve(options.dataDir));
  try {
    return await start(layout, options);
  } catch (error) {
    throw explain(error, layout.dataDir);
  }
}

async function start(layout: Layout, { log, settings = {} }: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const binaries = await findBinaries();
  const prefix = await unprivilegedPrefix();
  await ensureCluster(layout, { binaries, prefix, log, sync: settings.fsync !== 'off' });
  const { server, startedByUs } = await reachServer(layout, { binaries, prefix, settings, log });

  const adminUrl = socketUrl(server.socketFolder, 'postgres', 'postgres');
  const claim = await claimServer(adminUrl, startedByUs);
  const stop = async (mode: StopMode = 'fast') => {
    if (claim === undefined) return;
    await claim.release();
    await stopServer(layout.cluster, server, mode);
  };
  try {
    await prepareDatabase(adminUrl);
  } catch (error) {
    await stop();
    throw error;
  }
  log(`PostgreSQL ${startedByUs ? 'started' : 'was already running'} on ${layout.dataDir} (pid ${server.pid}).`);
  const url = socketUrl(server.socketFolder, applicationRole, applicationDatabase);
  return { url, adminUrl, pid: server.pid, owned: claim !== undefined, stop };
}

interface ServerNeeds {
  binaries: Binaries;
  prefix: string[];
  settings: Record<string, string>;
  log: (line: string) => void;
}

async function reachServer(
  layout: Layout,
  { binaries, prefix, settings, log }: ServerNeeds,
): Promise<{ server: Running; startedByUs: boolean }> {
  const giveUp = AbortSignal.timeout(startPatienceMs);
  for (;;) {
    const running = await findRunning(layout.cluster, giveUp);
    if (running) return { server: running, startedByUs: false };

    const socketFolder = await makeSocketFolder(layout);
    const command = [...prefix, binaries.postgres];
    const outcome = await launch(layout, { command, settings, socketFolder, log });
    if (outcome.kind === 'ready') return { server: outcome, startedByUs: true };

    await removeRuntimeFolder(socketFolder);
    if (giveUp.aborted || !isInTheWay(outcome.lastLines)) throw startFailure(layout, outcome);
    await delay(retryMs);
  }
}

// Another process's server won the race, or backends of one that was killed have not noticed yet: both pass.
function isInTheWay(lastLines: string): boolean {
  return /lock file ".*" already exists|pre-existing shared memory block .* is still in use/.test(lastLines);
}

function startFailure(layout: Layout, outcome: Extract<Launch, { kind: 'ended' }>): Error {
  return new EmbeddedPostgresError(
    `PostgreSQL did not start on ${layout.dataDir} (${outcome.reason}). The end of ${layout.logFile} says:\n${outcome.lastLines}`,
  );
}

const folderTroubles = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'ENOTDIR', 'EEXIST']);

function explain(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || error instanceof EmbeddedPostgresError) return error;
  if (!folderTroubles.has(errorCode(error) ?? '')) return error;
  return new EmbeddedPostgresError(
    `The data folder ${dataDir} cannot be used (${error.message}): make it writable for this user, choose another folder, or ${useAnotherServer}.`,
    { cause: error },
  );
}
