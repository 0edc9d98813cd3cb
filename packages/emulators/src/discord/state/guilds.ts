import { hash } from 'node:crypto';
import { intents } from '../intents.ts';
import { bitsOf, everyonesPermissions, type Permissions } from '../permissions.ts';
import { viewChannel, viewGuild, viewJoinedGuild } from '../views.ts';
import { addIntegration } from './integrations.ts';
import { addMember } from './members.ts';
import { insertRole } from './roles.ts';
import type { Application, AuditEntry, Channel, Guild, Overwrite, Role, Snowflake, User } from './types.ts';
import type { World } from './world.ts';

const mostAuditEntries = 20_000;

export interface NewGuild {
  name: string;
  id?: Snowflake;
  /** Defaults to a new user. */
  ownerId?: Snowflake;
}

export function createGuild(world: World, { name, id = world.nextId(), ownerId }: NewGuild): Guild {
  const owner =
    (ownerId === undefined ? undefined : world.users.get(ownerId)) ?? createUser(world, `${name} owner`, ownerId);
  const guild: Guild = {
    id,
    name,
    ownerId: owner.id,
    roles: new Map(),
    members: new Map(),
    channels: new Map(),
    audit: [],
    invites: new Map(),
    integrations: new Map(),
    onboarding: { isEnabled: false, mode: 0, defaultChannelIds: [], prompts: [] },
    bans: new Map(),
    isUnavailable: false,
    sortedMemberIds: undefined,
  };
  guild.roles.set(id, {
    id,
    name: '@everyone',
    color: 0,
    hoist: false,
    mentionable: false,
    position: 0,
    permissions: everyonesPermissions,
    managed: false,
  });
  world.guilds.set(id, guild);
  addMember(world, guild, owner);
  createChannel(world, guild, { name: 'general' });
  return guild;
}

/** Sets or removes the icon, as the owner would. Discord notifies the bots of the guild. */
export function setIcon(world: World, guild: Guild, bytes: Uint8Array | undefined, type = 'image/png'): void {
  if (bytes === undefined) delete guild.icon;
  else guild.icon = { hash: hash('md5', bytes), bytes, type };
  world.dispatch({ type: 'GUILD_UPDATE', intent: intents.guilds, guildId: guild.id, data: () => viewGuild(guild) });
}

/** Starts or ends an outage of one guild. Its bots are notified that it is unavailable, and receive it again afterwards. */
export function setUnavailable(world: World, guild: Guild, isUnavailable: boolean): void {
  if (guild.isUnavailable === isUnavailable) return;
  guild.isUnavailable = false;
  for (const application of world.applications.values()) {
    if (!guild.members.has(application.bot.id)) continue;
    world.dispatch({
      type: isUnavailable ? 'GUILD_DELETE' : 'GUILD_CREATE',
      intent: intents.guilds,
      guildId: guild.id,
      applicationId: application.id,
      data: () => (isUnavailable ? { id: guild.id, unavailable: true } : viewJoinedGuild(guild, application)),
    });
  }
  guild.isUnavailable = isUnavailable;
}

/** Deletes a guild, as its owner would. Its bots are notified as if they had been removed. */
export function deleteGuild(world: World, guild: Guild): void {
  world.guilds.delete(guild.id);
  for (const channelId of guild.channels.keys()) world.channels.delete(channelId);
  for (const application of world.applications.values()) {
    if (!guild.members.has(application.bot.id)) continue;
    const { id: applicationId } = application;
    world.dispatch({ type: 'GUILD_DELETE', intent: intents.guilds, applicationId, data: () => ({ id: guild.id }) });
  }
}

/** Adds a bot to a guild, as the invitation link does, with its own managed role. */
export function addBot(world: World, guild: Guild, application: Application, permissions: Permissions): Role {
  const role = insertRole(world, guild, { name: application.name, permissions: bitsOf(permissions), managed: true });
  role.botId = application.bot.id;
  const { id, name, bot } = application;
  addIntegration(world, guild, { type: 'discord', name, application: { id, name, bot } });
  addMember(world, guild, application.bot, [role.id]);
  world.dispatch({
    type: 'GUILD_CREATE',
    intent: intents.guilds,
    guildId: guild.id,
    applicationId: application.id,
    data: () => viewJoinedGuild(guild, application),
  });
  return role;
}

export function createUser(world: World, username: string, id: Snowflake = world.nextId(), isBot = false): User {
  const user: User = {
    id,
    username,
    globalName: isBot ? null : username,
    isBot,
    email: `${id}@example.com`,
    takesDirectMessages: true,
  };
  world.users.set(id, user);
  return user;
}

export interface NewChannel {
  name: string;
  id?: Snowflake;
  type?: number;
  topic?: string | null;
  parentId?: Snowflake | null;
  overwrites?: Map<Snowflake, Overwrite>;
}

export function createChannel(world: World, guild: Guild, options: NewChannel): Channel {
  const { name, id = world.nextId(), type = 0, topic = null, parentId = null, overwrites = new Map() } = options;
  const position = guild.channels.size;
  const channel: Channel = {
    id,
    type,
    guildId: guild.id,
    name,
    topic,
    position,
    parentId,
    overwrites,
    messages: new Map(),
  };
  guild.channels.set(id, channel);
  world.channels.set(id, channel);
  world.dispatch({
    type: 'CHANNEL_CREATE',
    intent: intents.guilds,
    guildId: guild.id,
    data: () => viewChannel(channel),
  });
  return channel;
}

/** Adds an entry to the guild's audit log. */
export function noteAudit(world: World, guild: Guild, entry: Omit<AuditEntry, 'id'>): void {
  guild.audit.push({ id: world.nextId(), ...entry });
  if (guild.audit.length > mostAuditEntries) guild.audit.splice(0, mostAuditEntries / 2);
}
