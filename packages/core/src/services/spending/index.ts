import { defineModule } from '../../shared/module.ts';
import { spendingErasure } from './queries.ts';

export type { SpendingBudget, SpendingSettings } from '../../shared/settings.ts';
export { releaseSpending, spendingMetrics } from './queries.ts';
export {
  type CallerSpending,
  isOperator,
  listSpendings,
  requireBudget,
  requireSpender,
  reserveSpending,
  type Spending,
} from './reserve.ts';

export const spendingModule = defineModule('spending', { erasures: [spendingErasure], tables: ['spendings'] });
