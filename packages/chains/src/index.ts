// What every process needs to parse addresses and verify proofs. The modules that read or write a chain are large, and have their own entry
// points, loaded only where the chain is configured.
export { type Bip137Options, createBitcoinWallets } from './bitcoin/index.ts';
export { combineReaders } from './combine-readers.ts';
export { evmAddressOf } from './evm/address-of-key.ts';
export {
  createEvmWallets,
  type EvmWalletsOptions,
  type SiweExpectation,
  type SiweFields,
} from './evm/index.ts';
export { evmDigests, evmKeys } from './evm/keys.ts';
export { evmSignatures } from './evm/personal-sign.ts';
export { evmWallets } from './evm/safe-address.ts';
export * from './evm-waiting-list/index.ts';
export {
  type AccountKey as FlowAccountKey,
  createAccountKeyReader as createFlowAccountKeyReader,
  createFlowWallets,
  type FindAccountKeys as FindFlowAccountKeys,
  type FlowAccessOptions,
  type FlowOptions,
} from './flow/index.ts';
export {
  createMagicWallets,
  type DidTokenClaim,
  type DidTokenExpectation,
  type DidTokenVerdict,
  type MagicWalletsOptions,
} from './magic/index.ts';
export {
  type AccessKeyState,
  createNearAccessKeyLookup,
  createNearBlocks,
  createNearWallets,
  type FindAccessKey,
  type NearRpcOptions,
  type NearWalletsOptions,
} from './near/index.ts';
export { createPolkadotWallets, type PolkadotNetwork, type PolkadotOptions } from './polkadot/index.ts';
export { createSolanaWallets, type SolanaWalletsOptions } from './solana/index.ts';
export { createTezosWallets, type TezosWalletsOptions } from './tezos/index.ts';
export {
  createTonPublicKeyLookup,
  createTonWallets,
  type FindPublicKey,
  type PublicKeyAnswer,
  type TonRpcOptions,
  type TonWalletsOptions,
} from './ton/index.ts';
export { createXrplWallets, type XrplWalletsOptions } from './xrpl/index.ts';
