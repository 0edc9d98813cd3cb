export { type StripeEmulator, type StripeEmulatorOptions, startStripeEmulator } from './start.ts';
export type { StripeEvent, StripeInvoice, StripeState } from './state.ts';
