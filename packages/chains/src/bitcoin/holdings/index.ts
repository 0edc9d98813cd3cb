export { createBrc20Holdings } from './create-brc20-holdings.ts';
export { createEsploraHoldings } from './create-esplora-holdings.ts';
export { createOrdHoldings, type OrdHoldingsOptions } from './create-ord-holdings.ts';
export { createStampHoldings } from './create-stamp-holdings.ts';
