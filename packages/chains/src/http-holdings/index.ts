export { createHttpReader, type HttpHoldingsOptions, type Session } from './create-reader.ts';
export { fromUnits, plainDecimal, sumDecimals } from './decimal.ts';
