export { createRollHoldings, type RollHoldingsOptions } from './create-roll-holdings.ts';
