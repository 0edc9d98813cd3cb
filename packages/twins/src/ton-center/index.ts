export { startTonCenterTwin, type TonCenterState, type TonCenterTwin } from './ton-center.ts';
