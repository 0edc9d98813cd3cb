export { attemptDelivery } from './attempt.ts';
export { WebhookDelivery, WebhookDeliveryDetails, webhookDeliveryStatuses } from './delivery.ts';
export { type Emission, emit } from './emit.ts';
export {
  claimTest,
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
export { webhookFigures } from './figures.ts';
export { findWebhookSecrets } from './find-secret.ts';
export { hasListeners } from './queries.ts';
export { getDelivery, listDeliveries } from './reads.ts';
export { maxReplayed, redeliver, replayUnsent } from './redeliver.ts';
export { sendTestEvent } from './send-test-event.ts';
export { formatWebhookSecret } from './sign.ts';
