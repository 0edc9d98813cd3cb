import type { Screen } from '../shared/screen.ts';

export const memberScreens: readonly Screen[] = [];
