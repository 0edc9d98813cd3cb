/** A Discord id: a number of 17 to 19 digits, as text. */
export type Snowflake = string;

export interface User {
  readonly id: Snowflake;
  username: string;
  globalName: string | null;
  isBot: boolean;
  email: string;
  /** If false, direct messages to this user are refused. */
  takesDirectMessages: boolean;
}

export interface Role {
  readonly id: Snowflake;
  name: string;
  color: number;
  hoist: boolean;
  mentionable: boolean;
  /** 0 for @everyone. Higher roles outrank lower ones. */
  position: number;
  permissions: bigint;
  /** True for the role of a bot or of boosters, which cannot be granted or removed. */
  managed: boolean;
  botId?: Snowflake;
  /** The integration that the role belongs to, such as a Twitch channel. */
  integrationId?: Snowflake;
  /** Discord gives the role to members who connect an account. */
  isLinked?: boolean;
  /** Members can buy the role. */
  isForSale?: boolean;
}

export interface Invite {
  readonly code: string;
  readonly channelId: Snowflake;
  readonly inviter: User;
  readonly createdAtMs: number;
  /** 0 for an invite that does not expire. */
  readonly maxAgeSeconds: number;
  /** 0 for any number of uses. */
  readonly maxUses: number;
  uses: number;
  readonly isTemporary: boolean;
  /** The roles that people who join with it get. */
  readonly roleIds: readonly Snowflake[];
  /** Only these users can see and accept it; undefined for everyone. */
  targetUserIds?: readonly Snowflake[];
  /** How far Discord is with the list of those users. Before it is completed, nobody can accept the invite. */
  targetUsersJob?: TargetUsersJob;
}

interface TargetUsersJob {
  /** 1 processing, 2 completed, 3 failed. */
  status: 1 | 2 | 3;
  readonly createdAtMs: number;
  completedAtMs: number | null;
}

export interface OnboardingOption {
  readonly id: Snowflake;
  readonly title: string;
  readonly description: string | null;
  readonly roleIds: readonly Snowflake[];
  readonly channelIds: readonly Snowflake[];
  readonly emojiName: string | null;
}

export interface OnboardingPrompt {
  readonly id: Snowflake;
  readonly title: string;
  readonly isSingle: boolean;
  readonly isRequired: boolean;
  readonly isInOnboarding: boolean;
  /** 0 for several options to choose from, 1 for a list. */
  readonly type: number;
  readonly options: readonly OnboardingOption[];
}

export interface Onboarding {
  isEnabled: boolean;
  /** 0 counts only default channels, 1 questions too. */
  mode: number;
  defaultChannelIds: readonly Snowflake[];
  prompts: readonly OnboardingPrompt[];
}

/** A connection of a guild to a bot, a Twitch channel or a YouTube channel. */
export interface Integration {
  readonly id: Snowflake;
  readonly type: 'discord' | 'twitch' | 'youtube' | 'guild_subscription';
  readonly name: string;
  /** The role of its subscribers. */
  readonly roleId?: Snowflake;
  readonly addedBy: User;
  readonly application?: { readonly id: Snowflake; readonly name: string; readonly bot: User };
}

export interface Member {
  readonly user: User;
  nick: string | null;
  roles: Set<Snowflake>;
  readonly joinedAt: string;
  mutedUntil: string | null;
  /** Has not passed the membership screening yet. Receiving a role ends it. */
  isPending: boolean;
}

export interface Overwrite {
  readonly id: Snowflake;
  readonly kind: 'role' | 'member';
  allow: bigint;
  deny: bigint;
}

export interface Channel {
  readonly id: Snowflake;
  /** 0 text, 1 direct, 2 voice, 4 category, 5 announcement. */
  type: number;
  readonly guildId?: Snowflake;
  /** The two sides of a direct channel. */
  readonly direct?: { application: Application; recipient: User };
  name: string;
  topic: string | null;
  position: number;
  parentId: Snowflake | null;
  readonly overwrites: Map<Snowflake, Overwrite>;
  /** Oldest first. */
  readonly messages: Map<Snowflake, Message>;
}

export interface Message {
  readonly id: Snowflake;
  readonly channelId: Snowflake;
  readonly guildId?: Snowflake;
  readonly author: User;
  content: string;
  embeds: unknown[];
  components: unknown[];
  attachments: unknown[];
  flags: number;
  readonly sentAt: string;
  editedAt: string | null;
  readonly applicationId?: Snowflake;
  readonly interaction?: { id: Snowflake; type: number; user: User; name: string };
  readonly replyTo?: Snowflake;
  /** A value that its sender chose to recognize it. */
  readonly nonce?: string;
}

export interface AuditEntry {
  readonly id: Snowflake;
  /** Discord's action number: 20 kick, 24 member update, 25 member roles, 30 to 32 roles. */
  readonly action: number;
  readonly userId: Snowflake;
  readonly targetId: Snowflake;
  readonly changes: unknown[];
  readonly reason?: string;
}

/** The icon of a guild, with its hash. */
export interface GuildIcon {
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly type: string;
}

export interface Guild {
  readonly id: Snowflake;
  name: string;
  icon?: GuildIcon;
  ownerId: Snowflake;
  readonly roles: Map<Snowflake, Role>;
  readonly members: Map<Snowflake, Member>;
  readonly channels: Map<Snowflake, Channel>;
  readonly audit: AuditEntry[];
  /** By code. */
  readonly invites: Map<string, Invite>;
  readonly integrations: Map<Snowflake, Integration>;
  readonly onboarding: Onboarding;
  /** Banned users, with the reason. */
  readonly bans: Map<Snowflake, { user: User; reason: string | null }>;
  /** An outage of Discord hides the guild: no responses and events about it. */
  isUnavailable: boolean;
  /** Ids of the members in order, or undefined if a member joined or left since they were sorted. */
  sortedMemberIds: Snowflake[] | undefined;
}

export interface Command {
  readonly id: Snowflake;
  readonly applicationId: Snowflake;
  readonly guildId?: Snowflake;
  readonly version: Snowflake;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Application {
  readonly id: Snowflake;
  name: string;
  readonly bot: User;
  readonly owner: User;
  token: string;
  readonly clientSecret: string;
  readonly redirectUris: Set<string>;
  /** Verifies the signature of an interaction, in hex. */
  readonly publicKey: string;
  readonly privateKey: Uint8Array;
  /** The URL that receives interactions. If undefined, they are sent over the gateway. */
  interactionsUrl: string | undefined;
  /** Whether users can add it to their own account. */
  isPersonal: boolean;
  /** The privileged intents that are turned on in the developer portal, as bits. */
  privilegedIntents: number;
  /** Commands by id. The key of the outer map is a guild, or an empty string for global ones. */
  readonly commands: Map<Snowflake, Map<Snowflake, Command>>;
  roleConnectionRecords: readonly RoleConnectionRecord[];
  /** By user id. */
  readonly roleConnections: Map<Snowflake, RoleConnection>;
  /** Where users connect, as linked roles show it. */
  roleConnectionsUrl: string | undefined;
}

/** A value that an application can set for users, for linked roles. */
export interface RoleConnectionRecord {
  readonly type: number;
  readonly key: string;
  readonly name: string;
  readonly description: string;
}

/** The values an application set for one user. */
export interface RoleConnection {
  readonly platform_name: string | null;
  readonly platform_username: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** What an access token grants. */
export interface Bearer {
  readonly application: Application;
  readonly user: User;
  readonly scopes: ReadonlySet<string>;
  readonly expiresAtMs: number;
}

/** A user used a command or pressed a button, and an application must respond. */
export interface Interaction {
  readonly id: Snowflake;
  readonly token: string;
  readonly application: Application;
  /** 2 a command, 3 a button or a menu, 5 a submitted form. */
  readonly type: number;
  readonly user: User;
  readonly channel: Channel;
  /** The message whose button was pressed. */
  readonly source?: Message;
  readonly name: string;
  readonly createdAtMs: number;
  /** The application's first response. */
  answer?: { readonly type: number; readonly data: Readonly<Record<string, unknown>> };
  /** The message that the response created or changed. */
  original?: Message;
  readonly followUps: Message[];
  /** Called once there is a response. */
  settle?: () => void;
}
