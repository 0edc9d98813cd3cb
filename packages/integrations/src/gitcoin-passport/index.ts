export { createPassportHoldings, type PassportHoldingsOptions } from './create-passport-holdings.ts';
