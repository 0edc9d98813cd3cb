export { loadEmulators } from './load-emulators.ts';
export { forgetSamples, noteSamples, seedPrices } from './sample-note.ts';
export { findSampleOwner, linkSample, type SampleCommunity, sampleUser, seedCommunity } from './seed-community.ts';
export { seedNearIndex } from './seed-near-index.ts';
export { seedRegistry } from './seed-registry.ts';
export { seedSafes } from './seed-safes.ts';
export { seedWaitingList } from './seed-waiting-list.ts';
export { startWorld } from './start-world.ts';
export { sampleBot, withEmulators } from './with-emulators.ts';
