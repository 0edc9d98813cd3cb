import { type RetryPolicy, scheduledRetry } from '@latchkey/kernel';

const minute = 60;
const hour = 60 * minute;

/** The schedule Standard Webhooks 1.0 recommends: ten tries, the first at once, the last after a little over three days. */
export const webhookRetry: RetryPolicy = scheduledRetry([
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]);
