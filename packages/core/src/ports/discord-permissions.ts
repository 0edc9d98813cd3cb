/** Discord's permissions by their bit; a bit without a name is not in use. */
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
    ['CreateEvents', 'UseExternalSounds', 'SendVoiceMessages', undefined, undefined, 'SendPolls', 'UseExternalApps'],
    ['PinMessages', 'BypassSlowmode'],
  ]
    .flat()
    .flatMap((name, bit) => (name === undefined ? [] : [[bit, name] as const])),
);

/** The names of the permissions in a decimal number of bits. */
export function permissionNames(bits: string): string[] {
  const value = BigInt(bits);
  return [...namesByBit].filter(([bit]) => (value & (1n << BigInt(bit))) !== 0n).map(([, name]) => name);
}

/**
 * The permissions that let their holder rule over others, with the words that Discord's own settings use. They are given
 * in Discord itself, by a person who has them: by no rule, no guest pass and no role that is made here.
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
  MentionEveryone: 'Mention @everyone',
};

export function rulingPermissions(bits: string): string[] {
  return permissionNames(bits).filter((name) => Object.hasOwn(rulingWords, name));
}

/**
 * What a role lets its holders do over others, in the words of Discord's settings. What @everyone may do is no power: a
 * new role starts with a copy of it, and in many servers that holds Mention @everyone.
 */
export function powersOf(role: { permissions: string }, everyone: { permissions: string } | undefined): string[] {
  const own = BigInt(role.permissions) & ~BigInt(everyone?.permissions ?? 0);
  return rulingPermissions(String(own)).map((name) => rulingWords[name] ?? name);
}

/** Whether roles with these bits give a member power over the server: Administrator or Manage Server. */
export function rulesServer(rolePermissions: readonly string[]): boolean {
  return rolePermissions.flatMap(permissionNames).some((name) => name === 'Administrator' || name === 'ManageGuild');
}
