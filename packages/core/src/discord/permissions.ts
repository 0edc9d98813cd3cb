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

/** Those that let their holder rule over others. They are given in Discord itself, by a person who has them. */
const ruling = ['KickMembers', 'BanMembers', 'Administrator', 'ManageChannels', 'ManageGuild', 'ManageMessages'];
const alsoRuling = [
  'ManageNicknames',
  'ManageRoles',
  'ManageWebhooks',
  'ManageThreads',
  'ManageEvents',
  'ModerateMembers',
  'MentionEveryone',
];

export function rulingPermissions(bits: string): string[] {
  return permissionNames(bits).filter((name) => ruling.includes(name) || alsoRuling.includes(name));
}
