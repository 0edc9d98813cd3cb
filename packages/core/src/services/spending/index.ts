import { defineModule } from '../../shared/module.ts';
import { spendingErasure } from './forget.ts';

export type { SpendingBudget, SpendingSettings } from '../../shared/settings.ts';
export { releaseSpending } from './queries.ts';
export { type CallerSpending, listSpendings } from './report.ts';
export { isOperator, requireBudget, requireSpender, reserveSpending, type Spending } from './reserve.ts';

export const spendingModule = defineModule('spending', { erasures: [spendingErasure], tables: ['spendings'] });
