export { type RollEmulator, type RollState, startRollEmulator } from './roll.ts';
