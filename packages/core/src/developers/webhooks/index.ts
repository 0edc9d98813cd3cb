export { attemptDelivery } from './attempt.ts';
export { type Emission, emit } from './emit.ts';
export {
  disableEndpoint,
  dropEndpoint,
  enableEndpoint,
  findEndpoints,
  type NewWebhookEndpoint,
  putEndpoint,
  resetEndpointSecret,
  retireEndpoint,
  type WebhookEndpoint,
} from './endpoint.ts';
export { webhooksFeature } from './feature.ts';
export { findWebhookSecret } from './find-secret.ts';
export { type DeliveryStatus, hasListeners } from './queries.ts';
export { type Delivery, listDeliveries } from './reads.ts';
export { formatWebhookSecret } from './sign.ts';
