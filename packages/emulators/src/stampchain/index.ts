export {
  type HeldStamp,
  type StampchainEmulator,
  type StampchainState,
  startStampchainEmulator,
} from './stampchain.ts';
