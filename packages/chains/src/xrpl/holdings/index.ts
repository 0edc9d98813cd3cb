export { createXrplHoldings } from './create-holdings.ts';
