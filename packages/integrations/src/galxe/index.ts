export { createGalxeHoldings } from './create-galxe-holdings.ts';
