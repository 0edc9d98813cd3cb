export { createLoopringHoldings } from './create-holdings.ts';
