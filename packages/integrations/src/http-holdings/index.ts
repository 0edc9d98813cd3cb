export { type Ask, createHttpReader, type HttpHoldingsOptions } from './create-reader.ts';
