export { createNearHoldings } from './create-holdings.ts';
