export { createTwitterHoldings } from './create-twitter-holdings.ts';
