import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError } from './error.ts';
import type { Running } from './find-running.ts';
import { isServing } from './postmaster-file.ts';
import { removeRuntimeFolder } from './socket-folder.ts';

/** `fast` ends every session and writes all to disk; `immediate` just ends, and the next start recovers. */
export type StopMode = 'fast' | 'immediate';

const pollMs = 10;
const patienceMs = 30_000;

/** Stops a server and waits until it has ended. A fast stop that hangs becomes an immediate one, which loses nothing. */
export async function stopServer(cluster: string, server: Running, mode: StopMode): Promise<void> {
  const signals: NodeJS.Signals[] = mode === 'fast' ? ['SIGINT', 'SIGQUIT'] : ['SIGQUIT'];
  for (const signal of signals) {
    if (await endsAfter(signal, cluster, server.pid)) return removeRuntimeFolder(server.socketFolder);
  }
  throw new EmbeddedPostgresError(`PostgreSQL (pid ${server.pid}) does not stop: end it by hand.`);
}

async function endsAfter(signal: NodeJS.Signals, cluster: string, pid: number): Promise<boolean> {
  if (!(await isServing(cluster, pid))) return true;
  process.kill(pid, signal);
  const giveUp = AbortSignal.timeout(patienceMs);
  while (await isServing(cluster, pid)) {
    if (giveUp.aborted) return false;
    await delay(pollMs);
  }
  return true;
}
