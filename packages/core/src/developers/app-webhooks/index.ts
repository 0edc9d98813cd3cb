export { appWebhooksFeature } from './feature.ts';
