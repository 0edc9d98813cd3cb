export { paymentsFeature } from './feature.ts';
export { giveSubscriptionPlan, takeSubscriptionPlan } from './give-plan.ts';
