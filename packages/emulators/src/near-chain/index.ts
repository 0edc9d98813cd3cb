export { callAction as nearCall } from './act-as.ts';
export { type Acted, type NearChain, type NearChainOptions, type NearCode, startNearChain } from './start.ts';
export type { NearTestAccount } from './test-keys.ts';
