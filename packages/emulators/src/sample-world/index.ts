export type { SampleAccount } from './accounts.ts';
export { sampleGuild } from './guild.ts';
export { type SampleMember, sampleMember, sampleMembers } from './members.ts';
export { sendKey } from './move-key.ts';
export { sampleNearAccounts, startSampleNear } from './near.ts';
export { type SampleWorld, type SampleWorldOptions, startSampleWorld } from './start.ts';
