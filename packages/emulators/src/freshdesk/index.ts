export {
  type FreshdeskEmulator,
  type FreshdeskEmulatorOptions,
  type FreshdeskState,
  type FreshdeskTicket,
  startFreshdeskEmulator,
} from './freshdesk.ts';
