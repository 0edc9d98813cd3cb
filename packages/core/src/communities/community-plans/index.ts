import { defineModule } from '../../shared/module.ts';

export {
  checkPeriodSeconds,
  givePlan,
  insertPlan,
  requireFeature,
  selectActivePlans,
  starterPlanId,
  takePlan,
} from './plans.ts';

export const communityPlansModule = defineModule('community-plans', { tables: ['community_plans'] });
