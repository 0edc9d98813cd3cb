export { createPoapHoldings } from './create-poap-holdings.ts';
