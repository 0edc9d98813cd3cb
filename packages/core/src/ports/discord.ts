/** The bits of the Discord permissions that the bot needs or reads. */
export const discordPermissions = {
  CreateInstantInvite: 1n << 0n,
  BanMembers: 1n << 2n,
  Administrator: 1n << 3n,
  ManageChannels: 1n << 4n,
  ManageGuild: 1n << 5n,
  ViewAuditLog: 1n << 7n,
  ViewChannel: 1n << 10n,
  SendMessages: 1n << 11n,
  EmbedLinks: 1n << 14n,
  ManageRoles: 1n << 28n,
} as const;

export type DiscordPermission = keyof typeof discordPermissions;

/** A role of a guild, in Discord's own format. Only the fields that the platform passes on. */
export interface DiscordRoleObject {
  id: string;
  name: string;
  color: number;
  hoist: boolean;
  icon?: string | null;
  unicode_emoji?: string | null;
  position: number;
  /** A decimal bit field of permissions. */
  permissions: string;
  managed: boolean;
  mentionable: boolean;
  /** What the role belongs to. Tags without a value are null if they are set. */
  tags?: {
    bot_id?: string;
    integration_id?: string;
    premium_subscriber?: null;
    subscription_listing_id?: string;
    available_for_purchase?: null;
    guild_connections?: null;
  };
}

export interface DiscordUserObject {
  id: string;
  username: string;
  discriminator?: string;
  avatar?: string | null;
  bot?: boolean;
  [field: string]: unknown;
}

export interface DiscordMemberObject {
  user: DiscordUserObject;
  nick?: string | null;
  avatar?: string | null;
  roles: string[];
  joined_at?: string | null;
  premium_since?: string | null;
  deaf?: boolean;
  mute?: boolean;
  pending?: boolean;
  communication_disabled_until?: string | null;
}

export interface DiscordChannelObject {
  id: string;
  /** 0 is a text channel, 4 a category. */
  type: number;
  name?: string | null;
  parent_id?: string | null;
  permission_overwrites?: { id: string; type: number; allow: string; deny: string }[];
}

export interface DiscordGuildObject {
  id: string;
  name: string;
  icon?: string | null;
  owner_id: string;
  roles: DiscordRoleObject[];
  approximate_member_count?: number;
}

export interface DiscordNewRole {
  name: string;
  color?: number;
  hoist?: boolean;
  mentionable?: boolean;
  /** A decimal bit field of permissions. */
  permissions?: string;
}

export interface DiscordNewChannel {
  name: string;
  /** 0 is a text channel. */
  type: number;
  topic?: string;
  /** Of a role (type 0) or a member (type 1), with decimal numbers of permission bits. */
  permission_overwrites?: { id: string; type: number; allow: string; deny: string }[];
}

/** A person, as shown beside what they created. */
export interface DiscordCreator {
  id: string;
  name: string;
}

/** An invite that lets one person in, once, and gives them roles. */
export interface DiscordPersonalInvite {
  channelId: string;
  userId: string;
  roleIds: readonly string[];
  maxAgeSeconds: number;
}

/** An invite into a guild. */
export interface DiscordInvite {
  code: string;
  /** The roles of members who join with it. */
  roleIds: readonly string[];
  creator?: DiscordCreator;
  channelName?: string;
  createdAt?: Date;
  expiresAt?: Date;
  uses?: number;
  /** 0 for any number. */
  maxUses?: number;
}

/** What new members can choose, with the roles that it gives them. */
export interface DiscordOnboarding {
  isEnabled: boolean;
  prompts: readonly DiscordPrompt[];
}

interface DiscordPrompt {
  id: string;
  title: string;
  options: readonly DiscordOption[];
}

export interface DiscordOption {
  id: string;
  title: string;
  roleIds: readonly string[];
  channelIds: readonly string[];
}

/** An integration of a guild: a bot, or a Twitch or YouTube channel whose subscribers have a role. */
export interface DiscordIntegration {
  id: string;
  name: string;
  /** `twitch`, `youtube`, `discord` for a bot, or `guild_subscription`. */
  type: string;
  roleId?: string;
  botId?: string;
  creator?: DiscordCreator;
}

/** A message as Discord returns it: always with an id. */
export type DiscordMessage = Record<string, unknown> & { id: string };

/** What an interaction's token allows for 15 minutes: messages in addition to the first response. */
export interface InteractionHandle {
  applicationId: string;
  token: string;
}

/**
 * The Discord API that operations need: reads and small writes with the bot's credential. Every method throws
 * `PlatformFailed` if Discord cannot be reached or does not allow it.
 */
export interface DiscordApi {
  /** The guild with its roles and its approximate number of members. */
  readGuild(guildId: string): Promise<DiscordGuildObject>;
  readRoles(guildId: string): Promise<DiscordRoleObject[]>;
  /** Needs Manage Server or View Audit Log. */
  readInvites(guildId: string): Promise<DiscordInvite[]>;
  /** Needs Manage Channels in the channel. */
  readChannelInvites(channelId: string): Promise<DiscordInvite[]>;
  /**
   * Creates an invite for one person and returns its code. Needs Create Invite in the channel, Manage Roles, and a role
   * above those that it gives. Discord lets nobody use it before `personalInviteState` is `ready`.
   */
  createPersonalInvite(invite: DiscordPersonalInvite, reason: string): Promise<string>;
  /** Whether Discord has processed the list of people who may use an invite; undefined if there is no such invite. */
  personalInviteState(code: string): Promise<'preparing' | 'ready' | 'failed' | undefined>;
  /** False if the invite did not exist. Needs Manage Server, or Manage Channels in its channel. */
  deleteInvite(code: string, reason: string): Promise<boolean>;
  readOnboarding(guildId: string): Promise<DiscordOnboarding>;
  /**
   * Takes a role from an option of onboarding. An option that gives nothing else is removed, and with its last option a
   * prompt. False if it did not give the role. Needs Manage Server and Manage Roles.
   */
  trimOnboarding(guildId: string, what: { optionId: string; roleId: string }, reason: string): Promise<boolean>;
  /** Needs Manage Server. */
  readIntegrations(guildId: string): Promise<DiscordIntegration[]>;
  createRole(guildId: string, role: DiscordNewRole, reason: string): Promise<DiscordRoleObject>;
  moveRole(guildId: string, roleId: string, position: number, reason: string): Promise<void>;
  readChannels(guildId: string): Promise<DiscordChannelObject[]>;
  createChannel(guildId: string, channel: DiscordNewChannel, reason: string): Promise<DiscordChannelObject>;
  /** Undefined if the user is not a member. */
  readMember(guildId: string, userId: string): Promise<DiscordMemberObject | undefined>;
  /** Members in id order. Discord only pages forward: after an id. */
  readMembers(guildId: string, page: { limit: number; after?: string }): Promise<DiscordMemberObject[]>;
  /** The bot as a member; undefined if it is not in the guild. */
  readBot(guildId: string): Promise<DiscordMemberObject | undefined>;
  /** The name of the bot; fails with a token that Discord does not accept. */
  botName(): Promise<string>;
  sendMessage(channelId: string, message: Record<string, unknown>): Promise<DiscordMessage>;
  /** Sends a private message; Discord refuses it if the user does not accept messages from the bot. */
  sendPrivately(userId: string, message: Record<string, unknown>): Promise<DiscordMessage>;
  /** Undefined if the message does not exist. */
  editMessage(
    channelId: string,
    messageId: string,
    message: Record<string, unknown>,
  ): Promise<DiscordMessage | undefined>;
  followUp(interaction: InteractionHandle, message: Record<string, unknown>): Promise<DiscordMessage>;
  /** `messageId` may be `@original`, the first response. Undefined if the message does not exist. */
  editFollowUp(
    interaction: InteractionHandle,
    messageId: string,
    message: Record<string, unknown>,
  ): Promise<DiscordMessage | undefined>;
  readFollowUp(interaction: InteractionHandle, messageId: string): Promise<DiscordMessage | undefined>;
  /** False if the message did not exist. */
  deleteFollowUp(interaction: InteractionHandle, messageId: string): Promise<boolean>;
  /** The first response to an interaction that came over the gateway. */
  respond(interaction: { id: string; token: string }, response: Record<string, unknown>): Promise<void>;
  /** Replaces the bot's global commands. `personal` ones are left out if the app cannot be added to accounts. */
  setCommands(
    commands: readonly Record<string, unknown>[],
    personal?: readonly Record<string, unknown>[],
  ): Promise<void>;
  /** The same for one guild, in addition to the global commands. */
  setGuildCommands(guildId: string, commands: readonly Record<string, unknown>[]): Promise<void>;
}

/** An event in one of the bot's guilds, as reported by the gateway. Ids are Discord's own. */
export type DiscordEvent =
  | {
      kind: 'member-joined' | 'member-updated';
      guildId: string;
      userId: string;
      userName: string;
      roleIds: readonly string[];
      isBot: boolean;
      /** The member has not passed membership screening yet. */
      isPending?: boolean;
      /** When the member joined, by Discord's clock; absent if Discord does not say. */
      joinedAt?: Date;
    }
  | { kind: 'member-left' | 'message'; guildId: string; userId: string }
  | { kind: 'guild-left' | 'guild-updated' | 'channel-changed'; guildId: string }
  /** The bot is in a guild: it was added, or has reconnected. */
  | { kind: 'guild-joined'; guildId: string; name: string; ownerId: string }
  /** A role was changed or deleted: its holders' permissions may have changed. */
  | { kind: 'role-updated'; guildId: string; roleId: string }
  /** An invite was created, or integrations were changed: roles may be given in another way than by us. */
  | { kind: 'invite-created' | 'integrations-changed'; guildId: string }
  /** A malformed event about a member: only reading the members can show what changed. */
  | { kind: 'member-unreadable'; guildId: string }
  | { kind: 'interaction'; interaction: unknown };
