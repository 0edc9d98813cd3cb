/** The bits of the Discord permissions that the bot needs or reads. */
export const discordPermissions = {
  BanMembers: 1n << 2n,
  Administrator: 1n << 3n,
  ManageChannels: 1n << 4n,
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
  tags?: { bot_id?: string; integration_id?: string; premium_subscriber?: null };
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
  /** Replaces the bot's global commands. */
  setCommands(commands: readonly Record<string, unknown>[]): Promise<void>;
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
    }
  | { kind: 'member-left' | 'message'; guildId: string; userId: string }
  | { kind: 'guild-left' | 'guild-updated' | 'channel-changed'; guildId: string }
  /** The bot is in a guild: it was added, or has reconnected. */
  | { kind: 'guild-joined'; guildId: string; name: string; ownerId: string }
  /** A role was changed or deleted: its holders' permissions may have changed. */
  | { kind: 'role-updated'; guildId: string; roleId: string }
  /** A malformed event about a member: only reading the members can show what changed. */
  | { kind: 'member-unreadable'; guildId: string }
  | { kind: 'interaction'; interaction: unknown };
