export { createHttpReader, type HttpHoldingsOptions, heldTokens, readPages, type Session } from './create-reader.ts';
export { fromUnits, plainDecimal, sumDecimals } from './decimal.ts';
