export { createSolanaHoldings, type SolanaCluster, type SolanaHoldingsOptions } from './create-holdings.ts';
