export { createNear, type NearLedgerOptions } from './create-near.ts';
