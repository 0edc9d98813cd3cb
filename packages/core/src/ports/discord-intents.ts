/** A group of gateway events that the bot subscribes to, as Discord's review asks about it. */
export interface DiscordIntent {
  /** Discord's bit. */
  bit: number;
  /** Discord's name in the developer portal. */
  title: string;
  /** Must be turned on in the developer portal, and is reviewed by Discord for large bots. */
  isPrivileged: boolean;
  /** What it is used for, as a full sentence. */
  use: string;
  /** What is stored of its events. */
  stored: string;
}

/** Every intent that the bot requests from the gateway. It requests no others. */
export const discordIntents = {
  Guilds: {
    bit: 1 << 0,
    title: 'Guilds',
    isPrivileged: false,
    use: 'Shows which servers the bot is in, and changes of their roles and channels, which decide which roles the bot can give.',
    stored: 'The name, the icon and the owner’s id of each server with the bot.',
  },
  GuildMembers: {
    bit: 1 << 1,
    title: 'Server Members Intent',
    isPrivileged: true,
    use: 'Shows who joins, leaves and has which roles, so that members get the roles that they qualify for within seconds and lose them when they no longer do. Without it Discord does not list the members of a server, so that roles of absent members could not be checked at all.',
    stored:
      'The id, the user name and the role ids of each member, whether the account is a bot, and when it was last seen.',
  },
  GuildIntegrations: {
    bit: 1 << 4,
    title: 'Guild Integrations',
    isPrivileged: false,
    use: 'Shows that integrations of a server changed, which can give roles around its rules. Admins are notified.',
    stored: 'The names of integrations that give a role of a rule, and who added them.',
  },
  GuildInvites: {
    bit: 1 << 6,
    title: 'Guild Invites',
    isPrivileged: false,
    use: 'Shows new invites that carry roles, which give roles around the rules of a server. Admins are notified.',
    stored: 'The codes of invites that carry a role of a rule, who created them, and when.',
  },
  GuildMessages: {
    bit: 1 << 9,
    title: 'Guild Messages',
    isPrivileged: false,
    use: 'Shows that a member wrote something, for the number of active members. Message content is not requested: Discord sends these events without it.',
    stored: 'When a member was last active, and how many messages a server has per day. No message.',
  },
} as const satisfies Readonly<Record<string, DiscordIntent>>;
