import type {
  Application,
  AuditEntry,
  Channel,
  Command,
  Guild,
  Integration,
  Invite,
  Member,
  Message,
  Role,
  Snowflake,
  User,
} from './state/types.ts';

export function viewUser(user: User) {
  return {
    id: user.id,
    username: user.username,
    discriminator: '0',
    global_name: user.globalName,
    avatar: null,
    bot: user.isBot,
    system: false,
    public_flags: 0,
    flags: 0,
    banner: null,
    accent_color: null,
    primary_guild: null,
  };
}

/** A member as REST and the gateway return it. `roles` can differ from the emulator's state, to simulate wrong responses. */
export function viewMember(member: Member, roles: Iterable<Snowflake> = member.roles) {
  return {
    user: viewUser(member.user),
    nick: member.nick,
    avatar: null,
    banner: null,
    roles: [...roles],
    joined_at: member.joinedAt,
    premium_since: null,
    communication_disabled_until: member.mutedUntil,
    deaf: false,
    mute: false,
    flags: 0,
    pending: member.isPending,
  };
}

export function viewRole(role: Role) {
  return {
    id: role.id,
    name: role.name,
    description: null,
    color: role.color,
    colors: { primary_color: role.color, secondary_color: null, tertiary_color: null },
    hoist: role.hoist,
    icon: null,
    unicode_emoji: null,
    position: role.position,
    permissions: String(role.permissions),
    managed: role.managed,
    mentionable: role.mentionable,
    flags: 0,
    ...viewTags(role),
  };
}

/** Tags that are flags are null where they are set, as in Discord. */
function viewTags({ botId, integrationId, isLinked, isForSale }: Role) {
  const tags = {
    ...(botId === undefined ? {} : { bot_id: botId }),
    ...(integrationId === undefined ? {} : { integration_id: integrationId }),
    ...(isLinked ? { guild_connections: null } : {}),
    ...(isForSale ? { available_for_purchase: null } : {}),
  };
  return Object.keys(tags).length === 0 ? {} : { tags };
}

/** An invite as Discord lists it. Only callers who may manage the server see how often it was used. */
export function viewInvite(guild: Guild, invite: Invite, { withMetadata }: { withMetadata: boolean }) {
  const channel = guild.channels.get(invite.channelId);
  const roles = invite.roleIds.flatMap((id) => guild.roles.get(id) ?? []);
  return {
    type: 0,
    code: invite.code,
    inviter: viewUser(invite.inviter),
    expires_at: expiryOf(invite),
    guild: {
      id: guild.id,
      name: guild.name,
      splash: null,
      banner: null,
      description: null,
      icon: guild.icon?.hash ?? null,
      features: [],
      verification_level: 0,
      vanity_url_code: null,
      nsfw_level: 0,
      nsfw: false,
      premium_subscription_count: 0,
      premium_tier: 0,
    },
    guild_id: guild.id,
    channel: { id: invite.channelId, type: channel?.type ?? 0, name: channel?.name ?? null },
    ...(roles.length === 0
      ? {}
      : {
          roles: roles.map(({ id, name, color, position }) => ({
            id,
            name,
            color,
            colors: { primary_color: color, secondary_color: null, tertiary_color: null },
            position,
            icon: null,
            unicode_emoji: null,
          })),
        }),
    ...(withMetadata
      ? {
          created_at: new Date(invite.createdAtMs).toISOString(),
          max_age: invite.maxAgeSeconds,
          max_uses: invite.maxUses,
          uses: invite.uses,
          temporary: invite.isTemporary,
        }
      : {}),
  };
}

/** What the gateway sends of a new invite. */
export function viewNewInvite(guild: Guild, invite: Invite) {
  return {
    channel_id: invite.channelId,
    code: invite.code,
    created_at: new Date(invite.createdAtMs).toISOString(),
    guild_id: guild.id,
    inviter: viewUser(invite.inviter),
    max_age: invite.maxAgeSeconds,
    max_uses: invite.maxUses,
    temporary: invite.isTemporary,
    uses: 0,
    expires_at: expiryOf(invite),
    type: 0,
    ...(invite.roleIds.length === 0 ? {} : { role_ids: [...invite.roleIds] }),
  };
}

function expiryOf({ createdAtMs, maxAgeSeconds }: Invite): string | null {
  return maxAgeSeconds === 0 ? null : new Date(createdAtMs + maxAgeSeconds * 1000).toISOString();
}

export function viewOnboarding(guild: Guild) {
  const { isEnabled, mode, defaultChannelIds, prompts } = guild.onboarding;
  return {
    guild_id: guild.id,
    enabled: isEnabled,
    mode,
    default_channel_ids: [...defaultChannelIds],
    prompts: prompts.map((prompt) => ({
      id: prompt.id,
      title: prompt.title,
      single_select: prompt.isSingle,
      required: prompt.isRequired,
      in_onboarding: prompt.isInOnboarding,
      type: prompt.type,
      options: prompt.options.map(({ id, title, description, roleIds, channelIds, emojiName }) => ({
        id,
        title,
        description: description ?? '',
        emoji: { id: null, name: emojiName, animated: false },
        role_ids: [...roleIds],
        channel_ids: [...channelIds],
      })),
    })),
  };
}

export function viewIntegration({ id, type, name, roleId, addedBy, application }: Integration) {
  const base = { id, type, name, enabled: true, account: { id, name }, user: viewUser(addedBy) };
  if (application !== undefined)
    return {
      ...base,
      application: {
        id: application.id,
        name: application.name,
        icon: null,
        description: '',
        type: null,
        bot: viewUser(application.bot),
      },
      scopes: ['bot', 'applications.commands'],
    };
  return {
    ...base,
    ...(roleId === undefined ? {} : { role_id: roleId }),
    syncing: false,
    enable_emoticons: false,
    expire_behavior: 0,
    expire_grace_period: 1,
    subscriber_count: 0,
    revoked: false,
  };
}

export function viewRoles(guild: Guild) {
  return Array.from(guild.roles.values(), viewRole);
}

export function viewChannel(channel: Channel) {
  const base = { id: channel.id, type: channel.type, last_message_id: lastOf(channel.messages.keys()), flags: 0 };
  if (channel.guildId === undefined) {
    return { ...base, recipients: channel.direct === undefined ? [] : [viewUser(channel.direct.recipient)] };
  }
  return {
    ...base,
    guild_id: channel.guildId,
    name: channel.name,
    topic: channel.topic,
    position: channel.position,
    parent_id: channel.parentId,
    nsfw: false,
    rate_limit_per_user: 0,
    permission_overwrites: Array.from(channel.overwrites.values(), ({ id, kind, allow, deny }) => ({
      id,
      type: kind === 'role' ? 0 : 1,
      allow: String(allow),
      deny: String(deny),
    })),
  };
}

function lastOf(ids: Iterable<Snowflake>): Snowflake | null {
  let last: Snowflake | null = null;
  for (const id of ids) last = id;
  return last;
}

export function viewGuild(guild: Guild) {
  return {
    id: guild.id,
    name: guild.name,
    icon: guild.icon?.hash ?? null,
    splash: null,
    discovery_splash: null,
    home_header: null,
    banner: null,
    description: null,
    owner_id: guild.ownerId,
    afk_channel_id: null,
    afk_timeout: 300,
    verification_level: 0,
    default_message_notifications: 1,
    explicit_content_filter: 0,
    roles: viewRoles(guild),
    emojis: [],
    stickers: [],
    features: [],
    mfa_level: 0,
    application_id: null,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    public_updates_channel_id: null,
    safety_alerts_channel_id: null,
    max_presences: null,
    max_members: 500_000,
    max_stage_video_channel_users: 50,
    max_video_channel_users: 25,
    region: 'us-west',
    incidents_data: null,
    vanity_url_code: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    premium_progress_bar_enabled: false,
    preferred_locale: 'en-US',
    nsfw: false,
    nsfw_level: 0,
    widget_enabled: false,
    widget_channel_id: null,
  };
}

/** A guild as the gateway shows it to one of its bots. Without presences, Discord shows the bot only itself. */
export function viewJoinedGuild(guild: Guild, application: Application) {
  const self = guild.members.get(application.bot.id);
  return {
    ...viewGuild(guild),
    joined_at: self?.joinedAt ?? null,
    large: guild.members.size > 50,
    unavailable: false,
    member_count: guild.members.size,
    members: self === undefined ? [] : [viewMember(self)],
    channels: Array.from(guild.channels.values(), viewChannel),
    threads: [],
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}

/** Components as Discord returns them: each with a number that is unique in the message, and with the defaults that were left out. */
function numbered(components: readonly unknown[], next = { id: 1 }): unknown[] {
  return components.map((component) => {
    if (typeof component !== 'object' || component === null) return component;
    const { type, components: inner, accessory } = component as Record<string, unknown>;
    const id = next.id++;
    return {
      ...(typeof type === 'number' && defaults[type]),
      id,
      ...component,
      ...(Array.isArray(inner) && { components: numbered(inner, next) }),
      ...(accessory !== undefined && { accessory: numbered([accessory], next)[0] }),
    };
  });
}

const ofSelect = { min_values: 1, max_values: 1 };
const defaults: Readonly<Record<number, object>> = {
  3: ofSelect,
  5: ofSelect,
  6: ofSelect,
  7: ofSelect,
  8: ofSelect,
  14: { spacing: 1, divider: true },
  17: { accent_color: null, spoiler: false },
};

export function viewMessage(message: Message, withContent = true) {
  const { interaction } = message;
  return {
    id: message.id,
    type: interaction === undefined ? (message.replyTo === undefined ? 0 : 19) : 20,
    channel_id: message.channelId,
    author: viewUser(message.author),
    content: withContent ? message.content : '',
    embeds: withContent ? message.embeds : [],
    components: withContent ? numbered(message.components) : [],
    attachments: withContent ? message.attachments : [],
    mentions: [],
    mention_roles: [],
    mention_everyone: false,
    pinned: false,
    tts: false,
    timestamp: message.sentAt,
    edited_timestamp: message.editedAt,
    flags: message.flags,
    ...(message.applicationId === undefined ? {} : { application_id: message.applicationId }),
    ...(message.nonce === undefined ? {} : { nonce: message.nonce }),
    ...(message.replyTo === undefined
      ? {}
      : { message_reference: { message_id: message.replyTo, channel_id: message.channelId } }),
    ...(interaction === undefined
      ? {}
      : { interaction: { ...interaction, user: viewUser(interaction.user) }, webhook_id: message.applicationId }),
  };
}

export function viewApplication(application: Application) {
  return {
    id: application.id,
    name: application.name,
    icon: null,
    description: '',
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: application.publicKey,
    type: null,
    flags: 0,
    flags_new: '0',
    explicit_content_filter: 0,
    approximate_guild_count: 0,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    eligible_oauth2_scopes: [],
    owner: viewUser(application.owner),
    team: null,
    redirect_uris: [...application.redirectUris],
    interactions_endpoint_url: application.interactionsUrl ?? null,
    role_connections_verification_url: application.roleConnectionsUrl ?? null,
    // 0 is an installation to a server, 1 to a user’s account.
    integration_types_config: { 0: {}, ...(application.isPersonal ? { 1: {} } : {}) },
    bot: viewUser(application.bot),
  };
}

export function viewCommand(command: Command) {
  return {
    id: command.id,
    application_id: command.applicationId,
    version: command.version,
    ...(command.guildId === undefined ? {} : { guild_id: command.guildId }),
    default_member_permissions: null,
    type: 1,
    description: '',
    nsfw: false,
    ...command.fields,
  };
}

export function viewAuditEntry(entry: AuditEntry) {
  return {
    id: entry.id,
    action_type: entry.action,
    user_id: entry.userId,
    target_id: entry.targetId,
    changes: entry.changes,
    ...(entry.reason === undefined ? {} : { reason: entry.reason }),
  };
}
