import { communityScreens } from '../community/screens.ts';
import { developerScreens } from '../developer/screens.ts';
import { memberScreens } from '../member/screens.ts';
import { operatorScreens } from '../operator/screens.ts';
import type { Screen } from '../shared/screen.ts';

export const screens: readonly Screen[] = [
  ...communityScreens,
  ...memberScreens,
  ...developerScreens,
  ...operatorScreens,
];
