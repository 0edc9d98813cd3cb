export { callAction as nearCall } from './act-as.ts';
export type { Acted, NearChain, NearChainOptions, NearCode } from './near-chain.ts';
export { startNearChain } from './start.ts';
export type { NearTestAccount } from './test-keys.ts';
