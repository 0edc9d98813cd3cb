// The members of the sample community, without any emulator: a server that removes the community has no emulators installed.
export { sampleAccounts } from '../sample-world/accounts.ts';
export { sampleGuild, sampleSubreddit } from '../sample-world/guild.ts';
