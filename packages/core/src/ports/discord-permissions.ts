/** Discord's permissions by bit; a bit without a name is not in use. */
const namesByBit: ReadonlyMap<number, string> = new Map(
  [
    ['CreateInstantInvite', 'KickMembers', 'BanMembers', 'Administrator', 'ManageChannels', 'ManageGuild'],
    ['AddReactions', 'ViewAuditLog', 'PrioritySpeaker', 'Stream', 'ViewChannel', 'SendMessages', 'SendTTSMessages'],
    ['ManageMessages', 'EmbedLinks', 'AttachFiles', 'ReadMessageHistory', 'MentionEveryone', 'UseExternalEmojis'],
    ['ViewGuildInsights', 'Connect', 'Speak', 'MuteMembers', 'DeafenMembers', 'MoveMembers', 'UseVAD'],
    ['ChangeNickname', 'ManageNicknames', 'ManageRoles', 'ManageWebhooks', 'ManageGuildExpressions'],
    ['UseApplicationCommands', 'RequestToSpeak', 'ManageEvents', 'ManageThreads', 'CreatePublicThreads'],
    ['CreatePrivateThreads', 'UseExternalStickers', 'SendMessagesInThreads', 'UseEmbeddedActivities'],
    ['ModerateMembers', 'ViewCreatorMonetizationAnalytics', 'UseSoundboard', 'CreateGuildExpressions'],
    ['CreateEvents', 'UseExternalSounds', 'SendVoiceMessages', undefined, 'SetVoiceChannelStatus', 'SendPolls'],
    ['UseExternalApps'],
    ['PinMessages', 'BypassSlowmode'],
  ]
    .flat()
    .flatMap((name, bit) => (name === undefined ? [] : [[bit, name] as const])),
);

/** The names of the permissions in a decimal bit field. */
export function permissionNames(bits: string): string[] {
  const value = BigInt(bits);
  return [...namesByBit].filter(([bit]) => (value & (1n << BigInt(bit))) !== 0n).map(([, name]) => name);
}

/**
 * Moderation permissions, with the words of Discord's settings: those for which Discord asks moderators for two-factor
 * authentication, and others that reach other members. A test compares them with Discord's current list. Roles with these are granted in Discord, by a person
 * who has them, but never by a rule, a guest pass or a role that is created here.
 */
const rulingWords: Readonly<Record<string, string>> = {
  Administrator: 'Administrator',
  ManageGuild: 'Manage Server',
  ManageRoles: 'Manage Roles',
  ManageChannels: 'Manage Channels',
  KickMembers: 'Kick Members',
  BanMembers: 'Ban Members',
  ModerateMembers: 'Timeout Members',
  ManageWebhooks: 'Manage Webhooks',
  ManageMessages: 'Manage Messages',
  ManageNicknames: 'Manage Nicknames',
  ManageThreads: 'Manage Threads',
  ManageEvents: 'Manage Events',
  ManageGuildExpressions: 'Manage Expressions',
  ViewCreatorMonetizationAnalytics: 'View Server Subscription Insights',
  MentionEveryone: 'Mention @everyone',
};

export function rulingPermissions(bits: string): string[] {
  return permissionNames(bits).filter((name) => Object.hasOwn(rulingWords, name));
}

/**
 * The moderation permissions of a role, in the words of Discord's settings. Permissions of @everyone do not count: a
 * new role starts with a copy of them, and in many servers they include Mention @everyone.
 */
export function powersOf(role: { permissions: string }, everyone: { permissions: string } | undefined): string[] {
  const own = BigInt(role.permissions) & ~BigInt(everyone?.permissions ?? 0);
  return rulingPermissions(String(own)).map((name) => rulingWords[name] ?? name);
}

/** Whether roles with these permissions let a member manage the server: Administrator or Manage Server. */
export function rulesServer(rolePermissions: readonly string[]): boolean {
  return rolePermissions.flatMap(permissionNames).some((name) => name === 'Administrator' || name === 'ManageGuild');
}
