import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type WatchedKind = 'server' | 'worker' | 'signer' | 'whole' | 'supervisor';

/** Returns the file that counts a process's hangs: one per place, so that no two processes write the same one. */
export function hangsFile(dataDir: string, kind: WatchedKind, place?: number): string {
  return join(dataDir, 'hangs', `${place === undefined ? kind : `${kind}-${place}`}.json`);
}

/** Returns how often processes of this kind at this place hung, according to the data folder. */
export function countHangs(dataDir: string, kind: WatchedKind, place?: number): number {
  try {
    const { count } = JSON.parse(readFileSync(hangsFile(dataDir, kind, place), 'utf8')) as { count?: unknown };
    return typeof count === 'number' ? count : 0;
  } catch {
    return 0;
  }
}
