import { readFile, readlink, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from './error.ts';
import { socketLockFile } from './socket-folder.ts';

/** What a running server writes about itself to its cluster. After a crash the file remains and is stale. */
export interface PostmasterFile {
  pid: number;
  /** Empty for the first moments of a server's life. */
  socketFolder: string;
  isReady: boolean;
}

/**
 * Returns the file's content; 'unreadable' if it is empty or truncated, as a full disk or a power loss can leave it.
 */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | 'unreadable' | undefined> {
  const text = await readIfPresent(pathIn(cluster));
  if (text === undefined) return undefined;
  const [pid = '', , , , socketFolder = '', , , status = ''] = text.split('\n');
  if (!/^\d+$/.test(pid)) return 'unreadable';
  return { pid: Number(pid), socketFolder, isReady: status.trim() === 'ready' };
}

/** Whether the server with this pid is still running. A zombie counts as ended: it has removed its file. */
export async function isServing(cluster: string, pid: number): Promise<boolean> {
  const file = await readPostmasterFile(cluster);
  return typeof file === 'object' && file.pid === pid && isAlive(pid);
}

/**
 * Lets a server start over a stale file whose pid now belongs to another process. PostgreSQL treats a file with its
 * parent's pid as stale, and still checks with the rest of the file that no backend of the old server survives;
 * deleting the file would lose that check.
 */
export async function disownPostmasterFile(cluster: string, pid: number, socketFolder?: string): Promise<void> {
  for (const path of [pathIn(cluster), ...(socketFolder ? [socketLockFile(socketFolder)] : [])]) {
    const text = await readIfPresent(path);
    if (text?.startsWith(`${pid}\n`)) await writeFile(path, text.replace(/^\d+/, String(process.pid)));
  }
}

export async function removePostmasterFile(cluster: string): Promise<void> {
  await rm(pathIn(cluster), { force: true });
}

/** Whether a living process is the server of this cluster; undefined if the system does not show it. */
export async function isServerProcess(pid: number, cluster: string): Promise<boolean | undefined> {
  if (process.platform !== 'linux') return undefined;
  try {
    const program = await readFile(`/proc/${pid}/comm`, 'utf8');
    // A server changes into its cluster before it writes the file.
    return program === 'postgres\n' && (await readlink(`/proc/${pid}/cwd`)) === (await realpath(cluster));
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // A process of another user cannot be our server either: it has no access to the cluster's files.
    return false;
  }
}

function pathIn(cluster: string): string {
  return join(cluster, 'postmaster.pid');
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
