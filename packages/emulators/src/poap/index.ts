export { type PoapEmulator, type PoapState, startPoapEmulator } from './poap.ts';
