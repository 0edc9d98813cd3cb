import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loading thousands of modules creates much garbage, for which V8 repeatedly doubles the young generation. An idle
 * process does not collect garbage, so it would keep that memory: `npm run bench -- start` shows 283 MB without this
 * and 184 MB with it.
 */
export function startSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Frees memory that only the start needed, and lets the young generation grow with the load from now on, as V8 does by
 * default.
 */
export function endOfStart(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  // Only `last-resort` also returns the pages that V8 keeps for later.
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  setFlagsFromString('--semi-space-growth-factor=2');
}
