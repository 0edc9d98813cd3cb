import { bitsOf, type Permissions } from '../permissions.ts';
import {
  addBot,
  createChannel,
  createGuild,
  createUser,
  deleteGuild,
  type NewChannel,
  type NewGuild,
  setIcon,
  setUnavailable,
} from '../state/guilds.ts';
import { addIntegration, type NewIntegration, removeIntegration } from '../state/integrations.ts';
import { acceptInvite, createInvite, deleteInvite, processTargetUsers } from '../state/invites.ts';
import { addMember, banUser, notifyMember, removeMember, unbanUser } from '../state/members.ts';
import { deleteRole, insertRole, moveRoles, notifyRole } from '../state/roles.ts';
import type {
  Application,
  Channel,
  Guild,
  Integration,
  Invite,
  Member,
  Onboarding,
  OnboardingPrompt,
  Role,
  Snowflake,
  User,
} from '../state/types.ts';
import type { World } from '../state/world.ts';

export interface GuildOptions extends NewGuild {
  /** The permissions of the application's bot in the guild, or false to leave it out. */
  bot?: Permissions | false;
}

export interface MemberOptions {
  name?: string;
  /** The id of an existing user, or for a new one. */
  id?: Snowflake;
  roles?: readonly Snowflake[];
  /** The guild screens members, and this one has not passed yet. */
  isPending?: boolean;
}

export interface RoleOptions {
  name: string;
  /** Defaults to a new id. */
  id?: Snowflake;
  permissions?: Permissions;
  /** Counted from the bottom. Defaults to right above @everyone. */
  position?: number;
  color?: number;
  /** Creates a role that cannot be granted. */
  managed?: boolean;
  /** Discord gives the role to members who connect an account. */
  isLinked?: boolean;
  /** Members can buy the role. */
  isForSale?: boolean;
  /** The integration that the role belongs to. */
  integrationId?: Snowflake;
}

interface InviteOptions extends Partial<Pick<Invite, 'maxAgeSeconds' | 'maxUses' | 'roleIds' | 'targetUserIds'>> {
  /** Defaults to the first channel. */
  channelId?: Snowflake;
  /** Defaults to the owner. */
  inviterId?: Snowflake;
}

type OnboardingOptions = Partial<Omit<Onboarding, 'prompts'>> & {
  prompts?: readonly {
    title: string;
    options: readonly { title: string; roleIds?: readonly Snowflake[]; channelIds?: readonly Snowflake[] }[];
  }[];
};

/** The bot's default permissions in tests: what Latchkey requests, without Administrator. */
export const defaultBotPermissions: Permissions = [
  'MANAGE_ROLES',
  'KICK_MEMBERS',
  'VIEW_CHANNEL',
  'SEND_MESSAGES',
  'EMBED_LINKS',
  'READ_MESSAGE_HISTORY',
  'CREATE_INSTANT_INVITE',
];

/** Acts as the users on the other side: owners, admins and members. No permissions apply. */
export interface GuildControl {
  guilds(): readonly Guild[];
  getGuild(guildId: Snowflake): Guild;
  createGuild(options: GuildOptions): Guild;
  deleteGuild(guildId: Snowflake): void;
  addBot(guildId: Snowflake, permissions?: Permissions, application?: Application): Role;
  createUser(name: string, id?: Snowflake): User;
  addMember(guildId: Snowflake, options?: MemberOptions): Member;
  /** A pending member accepts the guild's rules. */
  passScreening(guildId: Snowflake, userId: Snowflake): void;
  removeMember(guildId: Snowflake, userId: Snowflake): void;
  /** A moderator bans a user, who leaves and cannot be added again, or lifts the ban. */
  ban(guildId: Snowflake, userId: Snowflake, reason?: string): void;
  unban(guildId: Snowflake, userId: Snowflake): void;
  /** Starts or ends an outage of one guild. */
  setUnavailable(guildId: Snowflake, isUnavailable: boolean): void;
  /** Sets roles manually, like an admin or another bot. */
  setMemberRoles(guildId: Snowflake, userId: Snowflake, roleIds: readonly Snowflake[]): void;
  createRole(guildId: Snowflake, options: RoleOptions): Role;
  moveRole(guildId: Snowflake, roleId: Snowflake, position: number): void;
  deleteRole(guildId: Snowflake, roleId: Snowflake): void;
  setPermissions(guildId: Snowflake, roleId: Snowflake, permissions: Permissions): void;
  /** Sets or removes the icon of a guild. */
  setIcon(guildId: Snowflake, bytes: Uint8Array | undefined, type?: string): void;
  createChannel(guildId: Snowflake, options: NewChannel): Channel;
  /** Creates an invite, as an admin would. */
  createInvite(guildId: Snowflake, options?: InviteOptions): Invite;
  /** Returns false if there is no such invite. */
  deleteInvite(guildId: Snowflake, code: string): boolean;
  /** Discord does not complete new lists of users of invites, or fails to, until this is called with undefined. */
  holdTargetUsers(how: 'processing' | 'failed' | undefined): void;
  /** A user joins with an invite. */
  acceptInvite(guildId: Snowflake, code: string, options?: Pick<MemberOptions, 'name' | 'id'>): Member;
  /** Replaces what is given of the onboarding. Prompts and options get new ids. */
  setOnboarding(guildId: Snowflake, options: OnboardingOptions): Onboarding;
  addIntegration(guildId: Snowflake, options: NewIntegration): Integration;
  removeIntegration(guildId: Snowflake, integrationId: Snowflake): void;
  /** Sets the permissions of a role or a member in one channel, in addition to those in the guild. */
  setOverwrite(
    channelId: Snowflake,
    target: { roleId: Snowflake } | { userId: Snowflake },
    rules: { allow?: Permissions; deny?: Permissions },
  ): void;
}

export function createGuildControl(world: World, ownApplication: Application): GuildControl {
  const getGuild = (guildId: Snowflake): Guild => {
    const guild = world.guilds.get(guildId);
    if (guild === undefined) throw new Error(`The emulator has no guild ${guildId}.`);
    return guild;
  };
  const getRole = (guildId: Snowflake, roleId: Snowflake): Role => {
    const role = getGuild(guildId).roles.get(roleId);
    if (role === undefined) throw new Error(`The guild ${guildId} has no role ${roleId}.`);
    return role;
  };
  const getMember = (guildId: Snowflake, userId: Snowflake): Member => {
    const member = getGuild(guildId).members.get(userId);
    if (member === undefined) throw new Error(`The guild ${guildId} has no member ${userId}.`);
    return member;
  };
  return {
    guilds: () => [...world.guilds.values()],
    getGuild,
    createGuild: ({ bot = defaultBotPermissions, ...options }) => {
      const guild = createGuild(world, options);
      if (bot !== false) addBot(world, guild, ownApplication, bot);
      return guild;
    },
    deleteGuild: (guildId) => deleteGuild(world, getGuild(guildId)),
    addBot: (guildId, permissions = defaultBotPermissions, application = ownApplication) =>
      addBot(world, getGuild(guildId), application, permissions),
    createUser: (name, id) => createUser(world, name, id),
    addMember: (guildId, { name, id, roles, isPending } = {}) => {
      const guild = getGuild(guildId);
      const known = id === undefined ? undefined : world.users.get(id);
      const user = known ?? createUser(world, name ?? `member ${guild.members.size}`, id);
      return addMember(world, guild, user, roles, isPending);
    },
    passScreening: (guildId, userId) => {
      const member = getMember(guildId, userId);
      member.isPending = false;
      notifyMember(world, getGuild(guildId), member, 'GUILD_MEMBER_UPDATE');
    },
    removeMember: (guildId, userId) => {
      removeMember(world, getGuild(guildId), userId);
    },
    ban: (guildId, userId, reason) => {
      const user = world.users.get(userId) ?? createUser(world, `user ${userId}`, userId);
      banUser(world, getGuild(guildId), user, reason ?? null);
    },
    unban: (guildId, userId) => void unbanUser(world, getGuild(guildId), userId),
    setUnavailable: (guildId, isUnavailable) => setUnavailable(world, getGuild(guildId), isUnavailable),
    setMemberRoles: (guildId, userId, roleIds) => {
      const member = getMember(guildId, userId);
      member.roles = new Set(roleIds);
      notifyMember(world, getGuild(guildId), member, 'GUILD_MEMBER_UPDATE');
    },
    createRole: (guildId, { position, permissions, ...rest }) => {
      const guild = getGuild(guildId);
      const role = insertRole(world, guild, {
        ...rest,
        ...(permissions === undefined ? {} : { permissions: bitsOf(permissions) }),
      });
      if (position !== undefined) moveRoles(world, guild, new Map([[role.id, position]]));
      return role;
    },
    moveRole: (guildId, roleId, position) => {
      const role = getRole(guildId, roleId);
      moveRoles(world, getGuild(guildId), new Map([[role.id, position]]));
    },
    deleteRole: (guildId, roleId) => deleteRole(world, getGuild(guildId), getRole(guildId, roleId)),
    setPermissions: (guildId, roleId, permissions) => {
      const role = getRole(guildId, roleId);
      role.permissions = bitsOf(permissions);
      notifyRole(world, getGuild(guildId), role, 'GUILD_ROLE_UPDATE');
    },
    setIcon: (guildId, bytes, type) => setIcon(world, getGuild(guildId), bytes, type),
    createChannel: (guildId, options) => createChannel(world, getGuild(guildId), options),
    createInvite: (guildId, { channelId, inviterId, ...options } = {}) => {
      const guild = getGuild(guildId);
      const inviter = world.users.get(inviterId ?? guild.ownerId);
      const channel = channelId ?? guild.channels.keys().next().value;
      if (inviter === undefined || channel === undefined) throw new Error('The invite has no inviter or no channel.');
      return createInvite(world, guild, { channelId: channel, inviter, ...options });
    },
    deleteInvite: (guildId, code) => deleteInvite(world, getGuild(guildId), code),
    holdTargetUsers: (how) => {
      world.heldTargetUsers = how;
      if (how === undefined) processTargetUsers(world);
    },
    acceptInvite: (guildId, code, { name = 'guest', id } = {}) => {
      const user = world.users.get(id ?? '') ?? createUser(world, name, id);
      return acceptInvite(world, getGuild(guildId), code, user);
    },
    setOnboarding: (guildId, { prompts, ...rest }) => {
      const { onboarding } = getGuild(guildId);
      return Object.assign(onboarding, rest, prompts && { prompts: prompts.map((prompt) => newPrompt(world, prompt)) });
    },
    addIntegration: (guildId, options) => addIntegration(world, getGuild(guildId), options),
    removeIntegration: (guildId, integrationId) => removeIntegration(world, getGuild(guildId), integrationId),
    setOverwrite: (channelId, target, { allow = 0n, deny = 0n }) => {
      const channel = world.channels.get(channelId);
      if (channel === undefined) throw new Error(`The emulator has no channel ${channelId}.`);
      const [id, kind] = 'roleId' in target ? [target.roleId, 'role' as const] : [target.userId, 'member' as const];
      channel.overwrites.set(id, { id, kind, allow: bitsOf(allow), deny: bitsOf(deny) });
    },
  };
}

function newPrompt(
  world: World,
  { title, options }: NonNullable<OnboardingOptions['prompts']>[number],
): OnboardingPrompt {
  return {
    id: world.nextId(),
    title,
    isSingle: false,
    isRequired: false,
    isInOnboarding: true,
    type: 0,
    options: options.map((option) => ({
      id: world.nextId(),
      title: option.title,
      description: null,
      roleIds: option.roleIds ?? [],
      channelIds: option.channelIds ?? [],
      emojiName: null,
    })),
  };
}
