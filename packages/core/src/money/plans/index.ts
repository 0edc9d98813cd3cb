export { plansFeature } from './feature.ts';
export { findPlan, planLimits } from './find-plan.ts';
export { type Audience, freePlanId, type PlanLimits, planIdOf, SubscriptionPlan } from './plan.ts';
export { getPlanForSale, type PlanForSale } from './plan-for-sale.ts';
export { selectCheckPeriod } from './queries.ts';
export { getPlan, listPlans } from './reads.ts';
