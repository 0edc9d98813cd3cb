import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type WatchedKind = 'server' | 'worker' | 'signer' | 'whole' | 'supervisor';

/** Where the hangs of a process are counted: one file for each place, so that no two processes write the same one. */
export function hangsFile(dataDir: string, kind: WatchedKind, place?: number): string {
  return join(dataDir, 'hangs', `${place === undefined ? kind : `${kind}-${place}`}.json`);
}

/** How often processes of this kind at this place hung, as far as the data folder tells. */
export function countHangs(dataDir: string, kind: WatchedKind, place?: number): number {
  try {
    const { count } = JSON.parse(readFileSync(hangsFile(dataDir, kind, place), 'utf8')) as { count?: unknown };
    return typeof count === 'number' ? count : 0;
  } catch {
    return 0;
  }
}
