export { spendingFeature } from './feature.ts';
export { releaseSpending } from './queries.ts';
export { type CallerSpending, listSpendings } from './report.ts';
export { isOperator, requireSpender } from './require-spender.ts';
export { requireBudget, reserveSpending, type Spending } from './reserve.ts';
export type { SpendingBudget, SpendingSettings } from './settings.ts';
