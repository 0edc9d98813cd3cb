export { paymentsFeature } from './feature.ts';
