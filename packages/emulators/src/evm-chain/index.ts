export { prepareServerAt } from '../http/keep-connections.ts';
export { sampleBadgesAbi, sampleCoinAbi, sampleKeysAbi, sampleSafeAbi, sampleStakingAbi } from './abis.ts';
export type { DevAccount } from './accounts.ts';
export { type DevContracts, devChain, devTransport } from './deploy-contracts.ts';
export {
  deployCollection,
  deployLock,
  deployWaitingList,
} from './deploy-partners.ts';
export { deployWalletRegistry, walletRegistryDeployment } from './deploy-registry.ts';
export { deploySafeContracts } from './deploy-safes.ts';
export { sampleCollectionAbi, sampleLockAbi, waitingListAbi } from './partner-abis.ts';
export { delegateRegistryAbi, multicall3Abi, proxyRegisterAbi, walletRegistryAbi } from './registry-abis.ts';
export { type DevChain, type DevChainOptions, startDevChain } from './start.ts';
