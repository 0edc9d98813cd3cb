import { defineModule } from '../../shared/module.ts';
import { eventsErasure, webhooksErasure } from './forget.ts';
import { webhookJobs, webhookSchedules } from './jobs.ts';
import { webhooksSealed } from './sealed-columns.ts';

export { attemptDelivery } from './attempt.ts';
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
export { findWebhookSecrets } from './find-secret.ts';
export { webhookMetrics } from './metrics.ts';
export { hasListeners } from './queries.ts';
export {
  attemptFields,
  getDelivery,
  listDeliveries,
  WebhookDelivery,
  WebhookDeliveryDetails,
  webhookDeliveryStatuses,
} from './reads.ts';
export { maxReplayed, redeliver, replayUnsent } from './redeliver.ts';
export { sendTestEvent } from './send-test-event.ts';
export { formatWebhookSecret } from './sign.ts';

export const webhooksModule = defineModule('webhooks', {
  jobs: webhookJobs,
  schedules: webhookSchedules,
  sealed: webhooksSealed,
  erasures: [webhooksErasure, eventsErasure],
  tables: ['webhook_endpoints', 'events', 'webhook_deliveries', 'webhook_attempts'],
});
