export {
  createPolkadotHoldings,
  type PolkadotHoldingsNetwork,
  type PolkadotHoldingsOptions,
} from './create-holdings.ts';
