import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A small disk mounted at a folder, so that it can be filled. */
export interface SmallDisk {
  fill(): Promise<void>;
  free(): Promise<void>;
  unmount(): void;
}

const megabytes = 600;

/** Unmounts the disk that a killed process left at a folder, if there is one. */
export function unmountLeftover(folder: string): void {
  if (process.platform !== 'linux') return;
  const isMounted = readFileSync('/proc/self/mounts', 'utf8').includes(` ${folder} tmpfs `);
  if (isMounted) execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
}

/**
 * Mounts a small in-memory disk at an empty folder, which only root may. Returns the reason if that is not possible.
 */
export async function mountSmallDisk(folder: string): Promise<SmallDisk | string> {
  if (process.platform !== 'linux') return 'Only Linux has disks in memory.';
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    return `A disk in memory cannot be mounted here: ${String(error).split('\n')[1] ?? String(error)}`;
  }
  let isMounted = true;
  const unmount = () => {
    if (!isMounted) return;
    isMounted = false;
    execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
  };
  process.once('exit', unmount);
  const filler = join(folder, 'filler');
  return {
    unmount: () => {
      process.off('exit', unmount);
      unmount();
    },
    free: () => rm(filler, { force: true }),
    fill: async () => {
      await using file = await open(filler, 'w');
      for (let bytes = 1024 * 1024; bytes >= 4096; ) {
        try {
          await file.write(Buffer.alloc(bytes));
        } catch {
          bytes /= 2;
        }
      }
    },
  };
}
