export { createTezosHoldings } from './create-holdings.ts';
