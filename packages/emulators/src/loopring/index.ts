export { type LoopringEmulator, type LoopringState, startLoopringEmulator } from './loopring.ts';
