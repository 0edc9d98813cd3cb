import { feature } from '../../feature.ts';
import { eventsErasure, webhooksErasure } from './forget.ts';
import { webhookJobs, webhookSchedules } from './jobs.ts';
import { webhooksSealed } from './sealed-columns.ts';

export const webhooksFeature = feature('webhooks', {
  jobs: webhookJobs,
  schedules: webhookSchedules,
  sealed: webhooksSealed,
  erasures: [webhooksErasure, eventsErasure],
  tables: ['webhook_endpoints', 'events', 'webhook_deliveries', 'webhook_attempts'],
});
