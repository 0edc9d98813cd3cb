export {
  type SubstrateBlock,
  type SubstrateEmulator,
  type SubstrateEmulatorOptions,
  startSubstrateEmulator,
} from './start.ts';
