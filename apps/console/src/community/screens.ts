import type { Screen } from '../shared/screen.ts';

export const communityScreens: readonly Screen[] = [];
