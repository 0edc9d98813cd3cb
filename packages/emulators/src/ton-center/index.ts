export { startTonCenterEmulator, type TonCenterEmulator, type TonCenterState } from './ton-center.ts';
