import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { catalogOperations } from './catalog-operations.ts';

export {
  type CatalogPlan,
  CatalogPlanBody,
  choosePrice,
  findPlanOfPrice,
  getPlanForSale,
  listCatalog,
  type PlanForSale,
  removePlan,
  savePlan,
} from './catalog-operations.ts';
export { type FeatureName, featuresOf, includesFeature, notInPlan } from './features.ts';
export { type Audience, freePlanId, type PlanLimits, planIdOf, SubscriptionPlan } from './plan.ts';
export { selectCheckPeriod } from './queries.ts';
export {
  findPlan,
  getPlan,
  listOfferedPlans,
  listPlans,
  planLimits,
  requireSelling,
  sellingSettings,
  sellsPlans,
} from './reads.ts';

export const plansModule = defineModule('subscription-plans', {
  resources: [ownOperations(catalogOperations)],
  tables: ['plans'],
});
