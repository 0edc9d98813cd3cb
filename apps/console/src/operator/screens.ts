import type { Screen } from '../shared/screen.ts';

export const operatorScreens: readonly Screen[] = [];
