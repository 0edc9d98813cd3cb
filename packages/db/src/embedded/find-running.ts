import { mkdtemp, rmdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { EmbeddedPostgresError, errorCode, useAnotherServer } from './error.ts';
import {
  disownPostmasterFile,
  isAlive,
  isServerProcess,
  type PostmasterFile,
  readPostmasterFile,
  removePostmasterFile,
} from './postmaster-file.ts';
import { removeRuntimeFolder, socketUrl } from './socket-folder.ts';

/** A server that runs on a cluster. */
export interface Running {
  pid: number;
  socketFolder: string;
}

/**
 * Who responds at the socket in a cluster's file: its server, one that is starting or stopping, another server, or
 * none.
 */
type Answer = 'ours' | 'busy' | 'other' | 'nobody';

const pollMs = 50;
// How long a file may stay without a response before it counts as stale, if nothing else shows that.
const silenceMs = 1_000;

/**
 * Finds the server already running on a cluster: another process's, or one whose starter was killed. Waits for one that
 * is starting or stopping. Prepares the leftovers of a dead server so that a new one can start.
 */
export async function findRunning(cluster: string, giveUp: AbortSignal): Promise<Running | undefined> {
  const silence = AbortSignal.timeout(silenceMs);
  while (!giveUp.aborted) {
    const file = await readPostmasterFile(cluster);
    if (file === undefined) return undefined;
    if (file === 'unreadable') {
      if (silence.aborted) {
        await removePostmasterFile(cluster);
        return undefined;
      }
    } else {
      const answer = await ask(file.socketFolder, cluster);
      if (answer === 'ours') return { pid: file.pid, socketFolder: file.socketFolder };
      if (answer !== 'busy' && (await isStale(cluster, file, silence))) return clearStale(cluster, file, answer);
    }
    await delay(pollMs);
  }
  throw new EmbeddedPostgresError(
    `A PostgreSQL server on ${cluster} has been starting or stopping for too long: stop it manually, or ${useAnotherServer}.`,
  );
}

async function isStale(cluster: string, file: PostmasterFile, silence: AbortSignal): Promise<boolean> {
  if (!isAlive(file.pid)) return true;
  return !((await isServerProcess(file.pid, cluster)) ?? !silence.aborted);
}

async function clearStale(cluster: string, file: PostmasterFile, answer: Answer): Promise<undefined> {
  const socketFolder = answer === 'nobody' ? file.socketFolder : undefined;
  // PostgreSQL itself detects that a dead pid is stale.
  if (isAlive(file.pid)) await disownPostmasterFile(cluster, file.pid, socketFolder);
  if (socketFolder !== undefined) await removeRuntimeFolder(socketFolder);
}

/**
 * The response counts more than the pid in the file: pids are reused, and a server in another container has a pid that
 * means nothing here.
 */
async function ask(socketFolder: string, cluster: string): Promise<Answer> {
  if (socketFolder === '') return 'nobody';
  const client = new pg.Client({ connectionString: socketUrl(socketFolder, 'postgres', 'postgres') });
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    return isServerAnswer(error) ? 'busy' : 'nobody';
  }
  try {
    return (await serves(client, cluster)) ? 'ours' : 'other';
  } catch (error) {
    if (isServerAnswer(error)) return 'busy';
    throw error;
  } finally {
    await client.end();
  }
}

// Paths prove nothing: a copied cluster names the socket of the original. A file created here must be visible to the
// server.
async function serves(client: pg.Client, cluster: string): Promise<boolean> {
  const sign = await mkdtemp(join(cluster, 'latchkey-sign-'));
  try {
    const { rows } = await client.query('select from pg_stat_file($1, true) where isdir', [basename(sign)]);
    return rows.length === 1;
  } finally {
    await rmdir(sign);
  }
}

// Starting up, shutting down, or out of connections: a five-character code from the server, as opposed to ECONNREFUSED
// and ENOENT.
function isServerAnswer(error: unknown): boolean {
  return /^(57P0\d|53300)$/.test(errorCode(error) ?? '');
}
