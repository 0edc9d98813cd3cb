import { takeSome, volume } from '@latchkey/test-kit';
import { screens } from '../../src/app/screens.ts';
import type { Screen } from '../../src/shared/screen.ts';
import { turns } from './turns.ts';

/** A few screens from all over the list, others in each turn until all were taken; all of them in the deep run. Suites differ by `shift`. */
export function someScreens(usual: number, shift: number): Screen[] {
  return takeSome(screens, volume(usual, screens.length), turns.round + shift);
}
