export { createImmutableXHoldings } from './create-holdings.ts';
