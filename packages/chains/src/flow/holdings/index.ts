export { createFlowHoldings, type FlowHoldingsOptions } from './create-holdings.ts';
export type { FlowStandards } from './scripts.ts';
