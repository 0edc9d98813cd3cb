import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Loading thousands of modules makes much garbage, for which V8 doubles the room for new objects again and again. A process
 * at rest collects nothing, so it would keep that room: `npm run bench -- start` shows 283 MB without this and 184 MB with it.
 */
export function startSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Gives back what only the start needed, and lets the room grow with the load from now on, as V8 does by itself. */
export function endOfStart(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  // Only the last resort also returns the pages that V8 keeps for later.
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  setFlagsFromString('--semi-space-growth-factor=2');
}
