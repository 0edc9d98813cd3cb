export { paymentsErasure } from './forget.ts';
export { paymentJobs, paymentSchedules } from './jobs.ts';
export { payments } from './operations.ts';
