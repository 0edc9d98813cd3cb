export { sampleBadgesAbi, sampleCoinAbi, sampleKeysAbi, sampleSafeAbi, sampleStakingAbi } from './abis.ts';
export type { DevAccount } from './accounts.ts';
export { type DevContracts, devChain } from './deploy-contracts.ts';
export { delegateRegistryAbi, multicall3Abi } from './registry-abis.ts';
export { type DevChain, type DevChainOptions, startDevChain } from './start.ts';
