export {
  createBrc20Holdings,
  createEsploraHoldings,
  createOrdHoldings,
  createStampHoldings,
  type OrdHoldingsOptions,
} from './bitcoin/holdings/index.ts';
export { type Bip137Options, createBitcoinWallets } from './bitcoin/index.ts';
export { combineReaders } from './combine-readers.ts';
export {
  createEvmWallets,
  type EvmWalletsOptions,
  type SiweExpectation,
  type SiweFields,
} from './evm/index.ts';
export { evmDigests, evmKeys } from './evm/keys.ts';
export { evmSignatures } from './evm/personal-sign.ts';
export { evmWallets } from './evm/safe-address.ts';
export {
  createEvmFollower,
  createEvmHoldings,
  type EvmChainSettings,
  type EvmChainsOptions,
  type EvmFollowerOptions,
  type EvmHoldings,
  type EvmHoldingsOptions,
  type FetchJson,
  type FetchJsonOptions,
  type MetadataOptions,
  type StakingAdapter,
} from './evm-holdings/index.ts';
export { createLocks, type LocksOptions } from './evm-locks/index.ts';
export * from './evm-metadata/index.ts';
export * from './evm-names/index.ts';
export { createWalletRegistry, deployContract, evmAddressOf, registryDeployment } from './evm-registry/index.ts';
export { createSafes } from './evm-safes/index.ts';
export * from './evm-waiting-list/index.ts';
export { createFlowHoldings, type FlowHoldingsOptions, type FlowStandards } from './flow/holdings/index.ts';
export {
  type AccountKey as FlowAccountKey,
  createAccountKeyReader as createFlowAccountKeyReader,
  createFlowWallets,
  type FindAccountKeys as FindFlowAccountKeys,
  type FlowAccessOptions,
  type FlowOptions,
} from './flow/index.ts';
export type { HttpHoldingsOptions } from './http-holdings/index.ts';
export { createImmutableXHoldings } from './immutable-x/holdings/index.ts';
export { createLoopringHoldings } from './loopring/holdings/index.ts';
export {
  createMagicWallets,
  type DidTokenClaim,
  type DidTokenExpectation,
  type DidTokenVerdict,
  type MagicWalletsOptions,
} from './magic/index.ts';
export { createNearHoldings } from './near/holdings/index.ts';
export {
  type AccessKeyState,
  createNearAccessKeyLookup,
  createNearBlocks,
  createNearWallets,
  type FindAccessKey,
  type NearRpcOptions,
  type NearWalletsOptions,
} from './near/index.ts';
export {
  createPolkadotHoldings,
  type PolkadotHoldingsNetwork,
  type PolkadotHoldingsOptions,
} from './polkadot/holdings/index.ts';
export { createPolkadotWallets, type PolkadotNetwork, type PolkadotOptions } from './polkadot/index.ts';
export { createSolanaHoldings, type SolanaCluster, type SolanaHoldingsOptions } from './solana/holdings/index.ts';
export { createSolanaWallets, type SolanaWalletsOptions } from './solana/index.ts';
export { createTezosHoldings } from './tezos/holdings/index.ts';
export { createTezosWallets, type TezosWalletsOptions } from './tezos/index.ts';
export { createTonHoldings } from './ton/holdings/index.ts';
export {
  createTonPublicKeyLookup,
  createTonWallets,
  type FindPublicKey,
  type PublicKeyAnswer,
  type TonRpcOptions,
  type TonWalletsOptions,
} from './ton/index.ts';
export { createXrplHoldings } from './xrpl/holdings/index.ts';
export { createXrplWallets, type XrplWalletsOptions } from './xrpl/index.ts';
