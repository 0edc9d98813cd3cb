export { loadTwins } from './load-twins.ts';
export { forgetSamples, noteSamples, seedPrices } from './sample-note.ts';
export { linkSample, type SampleCommunity, sampleUser, seedCommunity } from './seed-community.ts';
export { seedNearIndex } from './seed-near-index.ts';
export { seedRegistry } from './seed-registry.ts';
export { seedSafes } from './seed-safes.ts';
export { seedWaitingList } from './seed-waiting-list.ts';
export { startWorld } from './start-world.ts';
export { sampleBot, withTwins } from './with-twins.ts';
