import { feature } from '../../feature.ts';
import { paymentsErasure } from './forget.ts';
import { paymentJobs, paymentSchedules } from './jobs.ts';
import { payments } from './operations.ts';

export const paymentsFeature = feature('payments', {
  resources: [payments],
  jobs: paymentJobs,
  schedules: paymentSchedules,
  erasures: [paymentsErasure],
  tables: ['payment_checkouts', 'payment_subscriptions', 'payment_ledger', 'payment_events'],
});
