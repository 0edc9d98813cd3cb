import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { EmbeddedPostgresError, useAnotherServer } from './error.ts';
import type { Layout } from './layout.ts';

/** No port is opened; PostgreSQL only names its socket after it. */
export const port = 5432;

const runtimePrefix = 'latchkey-pg-';
// The size of sockaddr_un.sun_path, minus the terminating zero byte.
const maxSocketPathBytes = process.platform === 'darwin' ? 103 : 107;

/**
 * Creates a folder that only this user can enter, with a path short enough for a socket: in the data folder if
 * possible.
 */
export async function makeSocketFolder(layout: Layout): Promise<string> {
  if (fits(layout.socket)) {
    await mkdir(layout.socket, { recursive: true, mode: 0o700 });
    await chmod(layout.socket, 0o700);
    return layout.socket;
  }
  const parent = [tmpdir(), '/tmp'].find((folder) => fits(join(folder, `${runtimePrefix}XXXXXX`)));
  if (parent === undefined) {
    throw new EmbeddedPostgresError(
      `The paths ${layout.dataDir} and ${tmpdir()} are both too long for a socket (${maxSocketPathBytes} bytes): choose a data folder with a shorter path, or ${useAnotherServer}.`,
    );
  }
  return mkdtemp(join(parent, runtimePrefix));
}

/** Removes a folder outside the data folder; the one inside is kept for the next start. */
export async function removeRuntimeFolder(socketFolder: string): Promise<void> {
  if (basename(socketFolder).startsWith(runtimePrefix)) await rm(socketFolder, { recursive: true, force: true });
}

/**
 * Returns a URL for both pg and libpq. Port and sslmode are explicit so that PGPORT and PGSSLMODE cannot change them.
 */
export function socketUrl(socketFolder: string, role: string, database: string): string {
  return `postgres://${role}@localhost:${port}/${database}?host=${encodeURIComponent(socketFolder)}&sslmode=disable`;
}

export function socketLockFile(socketFolder: string): string {
  return join(socketFolder, `.s.PGSQL.${port}.lock`);
}

function fits(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${port}`)) <= maxSocketPathBytes;
}
