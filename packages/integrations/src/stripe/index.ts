export { createStripe, type StripeOptions } from './create-stripe.ts';
