export { createWaitingListChain, type WaitingListChainOptions } from './create-waiting-list-chain.ts';
