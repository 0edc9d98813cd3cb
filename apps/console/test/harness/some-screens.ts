import { volume } from '@latchkey/test-kit';
import { screens } from '../../src/app/screens.ts';
import type { Screen } from '../../src/shared/screen.ts';

/** A few screens from all over the list, others with each `turn`; all of them in the deep run. */
export function someScreens(usual: number, turn: number): Screen[] {
  const count = Math.min(volume(usual, screens.length), screens.length);
  const step = screens.length / Math.max(1, count);
  return Array.from({ length: count }, (_, n) => screens[(Math.floor(n * step) + turn) % screens.length]).filter(
    (screen) => screen !== undefined,
  );
}
