export { createTonHoldings } from './create-holdings.ts';
