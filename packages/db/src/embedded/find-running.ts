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

/** A server that answers for a cluster. */
export interface Running {
  pid: number;
  socketFolder: string;
}

/** Who answers at the socket that a cluster's file names: its server, one not ready to say, some other, or nobody. */
type Answer = 'ours' | 'busy' | 'other' | 'nobody';

const pollMs = 50;
// How long a file may stay without a sign of life where nothing better than silence can tell that it is stale.
const silenceMs = 1_000;

/**
 * The server already running on a cluster: another process's, or one whose starter was killed. Waits for one that is
 * starting or stopping. Whatever a dead server left behind is put in a state that a new one can start over.
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
  // PostgreSQL sees by itself that a dead pid is stale.
  if (isAlive(file.pid)) await disownPostmasterFile(cluster, file.pid, socketFolder);
  if (socketFolder !== undefined) await removeRuntimeFolder(socketFolder);
}

/**
 * The answer decides before the pid in the file does: pids are given out again, and a server in another container
 * has a pid that means nothing here.
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

// Paths prove nothing: a copied cluster names the socket of the original. What is made here must be seen there.
async function serves(client: pg.Client, cluster: string): Promise<boolean> {
  const sign = await mkdtemp(join(cluster, 'latchkey-sign-'));
  try {
    const { rows } = await client.query('select from pg_stat_file($1, true) where isdir', [basename(sign)]);
    return rows.length === 1;
  } finally {
    await rmdir(sign);
  }
}

// Starting up, shutting down, or out of connections: five characters from the server, against ECONNREFUSED and ENOENT.
function isServerAnswer(error: unknown): boolean {
  return /^(57P0\d|53300)$/.test(errorCode(error) ?? '');
}
