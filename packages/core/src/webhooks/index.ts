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
export { webhookJobs, webhookSchedules } from './jobs.ts';
export type { DeliveryStatus } from './queries.ts';
export { type Delivery, listDeliveries } from './reads.ts';
export { redeliver } from './redeliver.ts';
export { webhooksSealed } from './sealed-columns.ts';
