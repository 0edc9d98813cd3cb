export { type LoopringState, type LoopringTwin, startLoopringTwin } from './loopring.ts';
