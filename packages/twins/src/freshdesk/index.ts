export {
  type FreshdeskState,
  type FreshdeskTicket,
  type FreshdeskTwin,
  type FreshdeskTwinOptions,
  startFreshdeskTwin,
} from './freshdesk.ts';
