/** The bits of Discord's permissions that the bot needs or looks at. */
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

/** Discord's own words, as far as the platform hands them on: a role of a guild. */
export interface DiscordRoleObject {
  id: string;
  name: string;
  color: number;
  hoist: boolean;
  icon?: string | null;
  unicode_emoji?: string | null;
  position: number;
  /** A decimal number of permission bits. */
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
  /** A decimal number of permission bits. */
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

/** A message as Discord answers with it: always with an id. */
export type DiscordMessage = Record<string, unknown> & { id: string };

/** What an interaction's own token allows for 15 minutes: messages beside the first answer. */
export interface InteractionHandle {
  applicationId: string;
  token: string;
}

/**
 * Discord as the operations need it: reads and small writes with the bot's own credential. Every method throws
 * `PlatformFailed` when Discord cannot be asked or does not allow it.
 */
export interface DiscordApi {
  /** The guild with its roles and, roughly, how many members it has. */
  readGuild(guildId: string): Promise<DiscordGuildObject>;
  readRoles(guildId: string): Promise<DiscordRoleObject[]>;
  createRole(guildId: string, role: DiscordNewRole, reason: string): Promise<DiscordRoleObject>;
  moveRole(guildId: string, roleId: string, position: number, reason: string): Promise<void>;
  readChannels(guildId: string): Promise<DiscordChannelObject[]>;
  createChannel(guildId: string, channel: DiscordNewChannel, reason: string): Promise<DiscordChannelObject>;
  /** Undefined when the user is not a member. */
  readMember(guildId: string, userId: string): Promise<DiscordMemberObject | undefined>;
  /** Members in the order of their ids. Discord only looks forward: after an id. */
  readMembers(guildId: string, page: { limit: number; after?: string }): Promise<DiscordMemberObject[]>;
  /** The bot as a member; undefined when it is not in the guild. */
  readBot(guildId: string): Promise<DiscordMemberObject | undefined>;
  /** What the bot is called; fails with a token that Discord does not know. */
  botName(): Promise<string>;
  sendMessage(channelId: string, message: Record<string, unknown>): Promise<DiscordMessage>;
  /** To one person; Discord refuses it where the person does not take messages of the bot. */
  sendPrivately(userId: string, message: Record<string, unknown>): Promise<DiscordMessage>;
  /** Undefined when the message does not exist. */
  editMessage(
    channelId: string,
    messageId: string,
    message: Record<string, unknown>,
  ): Promise<DiscordMessage | undefined>;
  followUp(interaction: InteractionHandle, message: Record<string, unknown>): Promise<DiscordMessage>;
  /** `messageId` may be `@original`, the first response. Undefined when the message does not exist. */
  editFollowUp(
    interaction: InteractionHandle,
    messageId: string,
    message: Record<string, unknown>,
  ): Promise<DiscordMessage | undefined>;
  readFollowUp(interaction: InteractionHandle, messageId: string): Promise<DiscordMessage | undefined>;
  /** False when the message did not exist. */
  deleteFollowUp(interaction: InteractionHandle, messageId: string): Promise<boolean>;
  /** The first answer to an interaction that came over the gateway. */
  respond(interaction: { id: string; token: string }, response: Record<string, unknown>): Promise<void>;
  /** Sets the commands that people find everywhere the bot is; others that it had are taken away. */
  setCommands(commands: readonly Record<string, unknown>[]): Promise<void>;
  /** The same for one guild, beside those that are found everywhere. */
  setGuildCommands(guildId: string, commands: readonly Record<string, unknown>[]): Promise<void>;
}

/** An event in a guild of the bot, as the gateway reports it. Ids are Discord's own. */
export type DiscordEvent =
  | {
      kind: 'member-joined' | 'member-updated';
      guildId: string;
      userId: string;
      userName: string;
      roleIds: readonly string[];
      isBot: boolean;
      /** The member has not passed the membership screening yet. */
      isPending?: boolean;
    }
  | { kind: 'member-left' | 'message'; guildId: string; userId: string }
  | { kind: 'guild-left' | 'guild-updated' | 'channel-changed'; guildId: string }
  /** The bot is in a guild: it was let in, or has connected again. */
  | { kind: 'guild-joined'; guildId: string; name: string; ownerId: string }
  /** A role was changed or deleted: what its holders may do can be different now. */
  | { kind: 'role-updated'; guildId: string; roleId: string }
  /** A malformed event about a member: only reading the members can show what changed. */
  | { kind: 'member-unreadable'; guildId: string }
  | { kind: 'interaction'; interaction: unknown };
