import { defineModule } from '../../shared/module.ts';
import { webhookJobs, webhookSchedules } from './jobs.ts';
import { eventsErasure, webhooksErasure, webhooksSealed } from './queries.ts';

export { attemptDelivery, findWebhookSecrets, sendTestEvent } from './attempt.ts';
export { type Emission, emit, emitWritten, type WrittenEvent, writeEvent } from './emit.ts';
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
export {
  attemptFields,
  getDelivery,
  listDeliveries,
  WebhookDelivery,
  WebhookDeliveryDetails,
  webhookDeliveryStatuses,
} from './log-queries.ts';
export { mayHaveListeners, webhookMetrics } from './queries.ts';
export { maxReplayed, redeliver, replayUnsent, sendWritten } from './redeliver.ts';
export { formatWebhookSecret } from './sign.ts';

export const webhooksModule = defineModule('webhooks', {
  jobs: webhookJobs,
  schedules: webhookSchedules,
  sealed: webhooksSealed,
  erasures: [webhooksErasure, eventsErasure],
  tables: ['webhook_endpoints', 'events', 'webhook_deliveries', 'webhook_attempts'],
});
