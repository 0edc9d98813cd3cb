export { type CallBudgetOptions, openCallBudget } from './call-budget.ts';
