export {
  type EmulatorAddress,
  type EmulatorFault,
  type EmulatorReply,
  type EmulatorRequest,
  type HttpEmulator,
  startHttpEmulator,
} from './start.ts';
