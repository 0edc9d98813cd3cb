export { type HeldStamp, type StampchainState, type StampchainTwin, startStampchainTwin } from './stampchain.ts';
