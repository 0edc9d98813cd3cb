// Who is in the sample community, without any emulator: a server that removes it has none installed.
export { sampleAccounts } from '../sample-world/accounts.ts';
export { sampleGuild } from '../sample-world/guild.ts';
