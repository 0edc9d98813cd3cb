import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { billingOperations } from './billing-operations.ts';
import { paymentsErasure } from './forget.ts';
import { paymentJobs, paymentSchedules } from './jobs.ts';
import { payments } from './operations.ts';

export { giveSubscriptionPlan, takeSubscriptionPlan } from './billing-operations.ts';

export { paymentLedgerCheck } from './queries.ts';

export const paymentsModule = defineModule('payments', {
  resources: [payments, ownOperations(billingOperations)],
  jobs: paymentJobs,
  schedules: paymentSchedules,
  erasures: [paymentsErasure],
  tables: [
    'payment_checkouts',
    'payment_customers',
    'payment_disputes',
    'payment_subscriptions',
    'payment_ledger',
    'payment_events',
    'payment_notices',
  ],
});
