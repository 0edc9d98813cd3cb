export { startTzktTwin, type TzktBalance, type TzktState, type TzktTwin } from './tzkt.ts';
