export { loadEmulators } from './load-emulators.ts';
export { openPlaygroundWorld } from './playground-world.ts';
export { forgetSamples, noteSamples, seedPrices } from './sample-note.ts';
export { sampleKeys } from './sample-services.ts';
export {
  findSampleOwner,
  linkSample,
  type SampleCommunity,
  sampleUser,
  seedCommunity,
  seedMiniApps,
  seedNearIndex,
  seedRegistry,
  seedSafes,
  seedSubreddit,
  seedTreasury,
  seedWaitingList,
} from './seed.ts';
export { startWorld } from './start-world.ts';
export { sampleBot, withEmulators } from './with-emulators.ts';
