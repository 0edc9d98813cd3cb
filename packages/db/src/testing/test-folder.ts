import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claimServer } from '../embedded/claim-server.ts';
import { findRunning } from '../embedded/find-running.ts';
import { layoutOf } from '../embedded/layout.ts';
import { isAlive } from '../embedded/postmaster-file.ts';
import { socketUrl } from '../embedded/socket-folder.ts';
import { stopServer } from '../embedded/start.ts';
import { unmountLeftover } from './small-disk.ts';

const namePattern = /^latchkey-test-(\d+)-/;
const exitPatienceMs = 10_000;
const pollMs = 5;

/** A data folder for a cluster that must not outlive this process. */
export interface TestFolder {
  dataDir: string;
  /** Records which server runs on the folder, so that it can be stopped when the process ends. */
  serverPid: number | undefined;
  remove(): Promise<void>;
}

const open = new Set<TestFolder>();
let leftovers: Promise<void> | undefined;

/** Creates a data folder named after this process. The first one also removes what killed test runs left behind. */
export async function makeTestFolder(): Promise<TestFolder> {
  if (leftovers === undefined) process.once('exit', endAllNow);
  leftovers ??= removeLeftovers(tmpdir());
  await leftovers;
  const folder: TestFolder = {
    dataDir: await mkdtemp(join(tmpdir(), `latchkey-test-${process.pid}-`)),
    serverPid: undefined,
    remove: async () => {
      await rm(folder.dataDir, { recursive: true, force: true });
      open.delete(folder);
    },
  };
  open.add(folder);
  return folder;
}

/** Stops servers and removes folders whose test process was killed before it could. Living processes keep theirs. */
export async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const ownerPid = namePattern.exec(name)?.[1];
    if (ownerPid === undefined || isAlive(Number(ownerPid))) continue;
    try {
      await removeLeftover(join(parent, name));
    } catch {
      // Another user's, or another run is removing it right now: a leftover must not fail a test.
    }
  }
}

async function removeLeftover(dataDir: string): Promise<void> {
  const { cluster } = layoutOf(dataDir);
  const server = await findRunning(cluster, AbortSignal.timeout(exitPatienceMs));
  if (server) {
    const claim = await claimServer(socketUrl(server.socketFolder, 'postgres', 'postgres'), false);
    // Its owner is alive, with a pid that we cannot see: in another container that shares this folder.
    if (claim === undefined) return;
    await claim.release();
    await stopServer(cluster, server, 'immediate');
  }
  unmountLeftover(dataDir);
  await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
}

// An exiting process cannot wait for anything asynchronous.
function endAllNow(): void {
  for (const { dataDir, serverPid } of open) {
    const file = join(layoutOf(dataDir).cluster, 'postmaster.pid');
    if (serverPid !== undefined && existsSync(file) && isAlive(serverPid)) {
      process.kill(serverPid, 'SIGQUIT');
      const clock = new Int32Array(new SharedArrayBuffer(4));
      for (let waited = 0; existsSync(file) && waited < exitPatienceMs; waited += pollMs) {
        Atomics.wait(clock, 0, 0, pollMs);
      }
    }
    try {
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A disk is mounted there; the others are removed anyway.
    }
  }
}
