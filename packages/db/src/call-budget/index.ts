export {
  type CallBudget,
  type CallBudgetOptions,
  type CallGrant,
  type CallReport,
  openCallBudget,
} from './call-budget.ts';
