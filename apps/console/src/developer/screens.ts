import type { Screen } from '../shared/screen.ts';

export const developerScreens: readonly Screen[] = [];
