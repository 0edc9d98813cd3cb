export { createHttpReader, type HttpHoldingsOptions, heldTokens, type Session } from './create-reader.ts';
export { fromUnits, plainDecimal, sumDecimals } from './decimal.ts';
export { readPages } from './read-pages.ts';
