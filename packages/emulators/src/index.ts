// What `npm start` and `npm run demo` bring. Every other emulator has a door of its own.
export { deploySafeContracts, deployWaitingList, deployWalletRegistry } from './evm-chain/index.ts';
export { startMailCatcher } from './mail-catcher/index.ts';
export { sampleGuild, sendKey, startSampleWorld } from './sample-world/index.ts';
