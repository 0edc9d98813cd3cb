export { type RmrkState, type RmrkToken, type RmrkTwin, startRmrkTwin } from './start.ts';
