// What `npm start` and `npm run demo` use. Every other emulator has its own entry point.
export { deploySafeContracts, deployWaitingList, deployWalletRegistry } from './evm-chain/index.ts';
export { startMailCatcher } from './mail-catcher/index.ts';
export {
  createPlaygroundWorld,
  fundOnSample,
  sampleGuild,
  sampleSubreddit,
  sendKey,
  startSampleWorld,
} from './sample-world/index.ts';
