export { type RollState, type RollTwin, startRollTwin } from './roll.ts';
