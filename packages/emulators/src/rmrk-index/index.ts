export { type RmrkEmulator, type RmrkState, type RmrkToken, startRmrkEmulator } from './start.ts';
