export { type StripeTwin, type StripeTwinOptions, startStripeTwin } from './start.ts';
export type { StripeEvent, StripeInvoice, StripeState } from './state.ts';
