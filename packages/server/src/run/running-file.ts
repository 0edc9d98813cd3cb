import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../clock.ts';
import { fetchTo } from '../egress/index.ts';
import { isAlive, startTicksOf } from './is-alive.ts';

/** The addresses of a running Latchkey: for users, and from this machine behind any proxy. */
export interface Address {
  url: string;
  localUrl: string;
}

/** What `npm start` runs besides the server, and what commands need to know to find it. */
export interface StartedServices {
  sampleWorld: boolean;
  mailCatcher: boolean;
  sandboxPort: number;
  mailCatcherPort: number;
  /** The variables that it was started with and that a command needs too. */
  needs: readonly string[];
}

export interface Running extends Address, StartedServices {
  pid: number;
  /** Distinguishes its process from a later one with the same pid, where the system supports it. */
  startTicks?: string;
}

// A process whose note is newer than this may still be starting, and not respond yet.
const startPatienceMs = 60_000;
const answerPatienceMs = 10_000;

/**
 * Writes a note that a whole Latchkey runs on this data folder, so that a second start is refused instead of half
 * starting.
 */
export async function claimDataFolder(
  dataDir: string,
  about: Address & StartedServices,
): Promise<{ release(): Promise<void> }> {
  const path = notePath(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `The data folder ${dataDir} cannot be created (${error.code}). Choose another with LATCHKEY_DATA_DIR.`,
    );
  });
  const startTicks = startTicksOf(process.pid);
  const own: Running = { pid: process.pid, ...(startTicks !== undefined && { startTicks }), ...about };
  while (!(await note(path, own))) {
    const running = await readRunning(path);
    if (running !== undefined && (await isHeld(path, running))) {
      throw new Error(
        `Latchkey is already running on this data folder (process ${running.pid}, ${running.url}). It keeps running. To stop it, press Ctrl-C in its terminal or run "kill ${running.pid}"; to run a second one, choose another folder with LATCHKEY_DATA_DIR, and other ports.`,
      );
    }
    await rm(path, { recursive: true, force: true });
  }
  return {
    release: async () => {
      if ((await readRunning(path))?.pid === process.pid) await rm(path, { force: true });
    },
  };
}

/** Finds the whole Latchkey that runs on this data folder. */
export async function findRunning(dataDir: string): Promise<Running | undefined> {
  const running = await readRunning(notePath(dataDir));
  return running !== undefined && isSameProcess(running) !== false ? running : undefined;
}

function notePath(dataDir: string): string {
  return join(dataDir, 'running.json');
}

/** Writes the note unless one exists. A complete file is linked into place, so no reader sees a partial note. */
async function note(path: string, running: Running): Promise<boolean> {
  const draft = `${path}.${running.pid}`;
  try {
    await writeFile(draft, JSON.stringify(running), { mode: 0o600 });
    await link(draft, path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return false;
    throw new Error(
      `The data folder is not writable (${code}, ${path}). Make it writable, or choose another with LATCHKEY_DATA_DIR.`,
    );
  } finally {
    await rm(draft, { force: true });
  }
}

async function readRunning(path: string): Promise<Running | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Running;
  } catch {
    return undefined;
  }
}

/** Whether the process that wrote a note still runs. Undefined if one with its pid does, which may be another. */
function isSameProcess({ pid, startTicks }: Running): boolean | undefined {
  if (!isAlive(pid)) return false;
  const now = startTicksOf(pid);
  return startTicks === undefined || now === undefined ? undefined : now === startTicks;
}

/**
 * A crash leaves its note behind. If the system cannot tell whether the pid was reused, the process must respond to a
 * request.
 */
async function isHeld(path: string, running: Running): Promise<boolean> {
  if (running.pid === process.pid) return false;
  const isSame = isSameProcess(running);
  if (isSame !== undefined) return isSame;
  const answer = await fetchTo([running.localUrl])(`${running.localUrl}/health/live`, {
    signal: AbortSignal.timeout(answerPatienceMs),
  }).catch(() => undefined);
  if (answer?.ok) return true;
  const notedAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
  return systemClock().getTime() - notedAt < startPatienceMs;
}
