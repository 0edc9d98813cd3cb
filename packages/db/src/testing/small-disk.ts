import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A disk of its own under a folder, small enough to be filled. */
export interface SmallDisk {
  fill(): Promise<void>;
  free(): Promise<void>;
  unmount(): void;
}

const megabytes = 600;

/** Takes away the disk that a killed process left under a folder, if there is one. */
export function unmountLeftover(folder: string): void {
  if (process.platform !== 'linux') return;
  const isMounted = readFileSync('/proc/self/mounts', 'utf8').includes(` ${folder} tmpfs `);
  if (isMounted) execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' });
}

/** Puts a small disk in memory under a folder that is empty, which only root may. Answers why not otherwise. */
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
