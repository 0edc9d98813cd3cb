export { startTzktEmulator, type TzktBalance, type TzktEmulator, type TzktState } from './tzkt.ts';
