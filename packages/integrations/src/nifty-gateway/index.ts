export { createNiftyHoldings } from './create-nifty-holdings.ts';
