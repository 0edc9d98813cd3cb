/** What our bot can do on a chat platform beyond reading members and writing their roles, as shown to users. */
export const platformAbilities = {
  ownRoles: 'Admins can create roles',
  memberTags: 'Rules can give members a tag',
  events: 'Joins and leaves are detected immediately',
  commands: 'Members can send commands to the bot',
  posts: 'The bot posts in the community',
  privateMessages: 'The bot sends private messages',
  miniApps: 'Mini-apps',
  guestPasses: 'Guest passes',
} as const;
export type PlatformAbility = keyof typeof platformAbilities;

/** One chat platform. */
export interface ChatPlatform {
  /** The display name. */
  title: string;
  /** The prefix of qualified ids: `DIS#USER#100`. It is stored, so it never changes. */
  prefix: string;
  /** The permission to manage a community there, in words that follow "needs". */
  rightsToManage: string;
  /** The settings for the bot, and for signing in with the platform. */
  settings: { bot: readonly string[]; login: readonly string[] };
  can: readonly PlatformAbility[];
  /** The permissions that the bot requests there, by the platform's own names, each with what it is used for. */
  botPermissions: Readonly<Record<string, string>>;
  /** Why there is no invite link for the bot; absent if there is one. */
  withoutInvite?: string;
  /** The platform's own ids, as patterns without anchors. Defaults to up to 64 letters, digits, - and _. */
  ids?: { community: string; user: string };
  /** Set if people sign in by naming their account, to which the bot sends a link: what the field is called, and an example. */
  account?: { label: string; example: string };
  /** Returns the URL of a community from its platform id; absent if there is none. */
  home?: (communityId: string) => string;
}

/** Every chat platform, in display order. Lists, patterns and titles elsewhere are derived from this table. */
export const chatPlatforms = {
  discord: {
    title: 'Discord',
    prefix: 'DIS',
    rightsToManage: 'the permission Administrator or Manage Server',
    settings: {
      bot: ['LATCHKEY_DISCORD_BOT_TOKEN'],
      login: ['LATCHKEY_DISCORD_CLIENT_ID', 'LATCHKEY_DISCORD_CLIENT_SECRET'],
    },
    can: ['ownRoles', 'events', 'commands', 'posts', 'privateMessages', 'miniApps', 'guestPasses'],
    botPermissions: {
      ManageRoles: 'Adds and removes roles according to your rules.',
      ViewChannel: 'Finds the channels it posts in.',
      SendMessages:
        'Posts the message members use to link wallets, and notifies admins when something needs attention.',
      EmbedLinks: 'Shows links and cards in those messages.',
    },
    home: (communityId) => `https://discord.com/channels/${encodeURIComponent(communityId)}`,
  },
  telegram: {
    title: 'Telegram',
    prefix: 'TEL',
    rightsToManage: 'admin rights to invite and ban users',
    settings: { bot: ['LATCHKEY_TELEGRAM_BOT_TOKEN'], login: ['LATCHKEY_TELEGRAM_BOT_TOKEN'] },
    can: ['memberTags', 'events', 'commands', 'posts', 'privateMessages'],
    botPermissions: {
      'Invite users': 'Lets in members who qualify.',
      'Ban users': 'Removes members who no longer qualify.',
    },
  },
  reddit: {
    title: 'Reddit',
    prefix: 'RED',
    rightsToManage: 'the moderator permission Everything, Manage Settings or Manage Users',
    settings: {
      bot: ['LATCHKEY_REDDIT_CLIENT_ID', 'LATCHKEY_REDDIT_CLIENT_SECRET'],
      login: ['LATCHKEY_REDDIT_CLIENT_ID', 'LATCHKEY_REDDIT_CLIENT_SECRET'],
    },
    can: ['ownRoles'],
    botPermissions: {
      'Manage users': 'Approves users who qualify.',
      'Manage flair': 'Sets flair according to your rules.',
    },
    withoutInvite: 'Reddit has no bots to invite: a moderator links the subreddit instead.',
    home: (communityId) => `https://www.reddit.com/r/${encodeURIComponent(communityId)}`,
  },
  matrix: {
    title: 'Matrix',
    prefix: 'MTX',
    rightsToManage: 'a power level that may change permissions there (usually 100, Admin)',
    settings: {
      bot: ['LATCHKEY_MATRIX_HOMESERVER_URL', 'LATCHKEY_MATRIX_ACCESS_TOKEN'],
      login: ['LATCHKEY_MATRIX_HOMESERVER_URL', 'LATCHKEY_MATRIX_ACCESS_TOKEN'],
    },
    can: ['ownRoles', 'events', 'commands', 'posts', 'privateMessages'],
    botPermissions: {
      'Invite users': 'Lets in members who qualify.',
      'Remove users': 'Removes members who no longer qualify.',
      'Change permissions': 'Gives and takes power levels. Only needed if a rule gives one.',
    },
    // Matrix allows 255 characters; names and rooms of real servers have fewer than these.
    ids: {
      community: '![\\w~+/=.-]{1,64}(?::[A-Za-z0-9.-]{1,40}(?::\\d{1,5})?)?',
      user: '@[\\w=+/.-]{1,40}:[A-Za-z0-9.-]{1,40}(?::\\d{1,5})?',
    },
    account: { label: 'Your Matrix ID', example: '@alice:example.org' },
    home: (communityId) => `https://matrix.to/#/${encodeURIComponent(communityId)}`,
  },
} as const satisfies Readonly<Record<string, ChatPlatform>>;

/** A chat platform, as stored and in the API. */
export type PlatformName = keyof typeof chatPlatforms;

export const platformNames: readonly PlatformName[] = Object.keys(chatPlatforms).filter(isPlatformName);

export function isPlatformName(name: string): name is PlatformName {
  return Object.hasOwn(chatPlatforms, name);
}

export function isAble(platform: PlatformName, ability: PlatformAbility): boolean {
  const { can }: ChatPlatform = chatPlatforms[platform];
  return can.includes(ability);
}

const plainIds = '[-A-Za-z0-9_]{1,64}';

/** The pattern of a platform's own ids, without anchors. None contains a #, at which qualified ids are split. */
export function idFormOf(platform: PlatformName, of: 'community' | 'user'): string {
  const { ids }: ChatPlatform = chatPlatforms[platform];
  return ids?.[of] ?? plainIds;
}

/** Returns the URL of a community on its platform. Always https: browsers of wallets open nothing else. */
export function chatHomeOf(platform: PlatformName, communityId: string): string | undefined {
  const { home }: ChatPlatform = chatPlatforms[platform];
  return home?.(communityId);
}

export function platformsThatCan(ability: PlatformAbility): PlatformName[] {
  return platformNames.filter((name) => isAble(name, ability));
}

/** The titles in a sentence: `Discord, Telegram, Reddit or Matrix`. */
export const anyPlatform: string = new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(
  platformNames.map((name) => chatPlatforms[name].title),
);
