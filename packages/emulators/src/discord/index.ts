export type { Misbehaviour } from '../misbehave.ts';
export type { GuildControl, GuildOptions, MemberOptions, RoleOptions } from './control/guilds.ts';
export type { PeopleControl } from './control/people.ts';
export type { Counts as DiscordCounts } from './counts.ts';
export type { Press, Pressed } from './interactions/press.ts';
export type { LimitOptions as DiscordLimitOptions, Limits as DiscordLimits } from './limits/limits.ts';
export type { PermissionName } from './permissions.ts';
export { type DiscordEmulator, type DiscordEmulatorOptions, startDiscordEmulator } from './start.ts';
export { shownText } from './state/messages.ts';
