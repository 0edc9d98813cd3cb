import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Running {
  pid: number;
  url: string;
}

/** Notes that a whole Latchkey runs on this data folder, so that a second start can say so instead of half starting. */
export async function claimDataFolder(dataDir: string, url: string): Promise<{ release(): Promise<void> }> {
  const path = join(dataDir, 'running.json');
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    throw new Error(
      `The data folder ${dataDir} cannot be made (${error.code}). Choose another with LATCHKEY_DATA_DIR.`,
    );
  });
  const running = await readRunning(path);
  if (running !== undefined && (await isAlive(running))) {
    throw new Error(
      `Latchkey is already running on this data folder (process ${running.pid}, ${running.url}). Stop it first, or use another folder with LATCHKEY_DATA_DIR.`,
    );
  }
  await writeFile(path, JSON.stringify({ pid: process.pid, url }), { mode: 0o600 }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new Error(
        `The data folder ${dataDir} cannot be written to (${error.code}). Choose another with LATCHKEY_DATA_DIR.`,
      );
    },
  );
  return {
    release: async () => {
      if ((await readRunning(path))?.pid === process.pid) await rm(path, { force: true });
    },
  };
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

/** A process with that number that also answers: numbers are used again, and a crash leaves the file behind. */
async function isAlive({ pid, url }: Running): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const answer = await fetch(`${url}/health/live`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  return answer?.ok ?? false;
}
