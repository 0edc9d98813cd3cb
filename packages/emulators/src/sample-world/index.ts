export type { SampleAccount } from './accounts.ts';
export { readyGuild, sampleGuild, sampleSubreddit } from './guild.ts';
export { type SampleMember, sampleMember, sampleMembers } from './members.ts';
export { sendKey } from './move-key.ts';
export {
  createPlaygroundWorld,
  type PlaygroundGuild,
  type PlaygroundHoldings,
  type PlaygroundSeat,
  type PlaygroundWorld,
} from './playgrounds.ts';
export { sampleSpace } from './services.ts';
export {
  fundOnSample,
  type SampleWorld,
  type SampleWorldOptions,
  sampleNearAccounts,
  startSampleNear,
  startSampleWorld,
} from './start.ts';
