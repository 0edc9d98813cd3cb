import { hash } from 'node:crypto';
import {
  type DiscordCreator,
  type DiscordIntegration,
  type DiscordInvite,
  type DiscordOnboarding,
  type DiscordRoleObject,
  discordPermissions,
} from '../../ports/index.ts';
import { userKey } from '../../shared/qualified-ids.ts';

/**
 * What else can give a role of a Discord server. AutoMod is missing on purpose: none of its actions gives a role, which
 * a test holds against Discord's own list of them.
 */
export const doorKinds = ['invite', 'onboarding', 'linked-role', 'purchase', 'integration', 'bot', 'staff'] as const;

export type DoorKind = (typeof doorKinds)[number];

/** One way to one role that a rule decides. */
export interface Door {
  /** The same for all roles that one invite, option, bot … gives. */
  id: string;
  kind: DoorKind;
  roleId: string;
  /** What Discord calls it: a code, an option, a bot, a role. */
  name: string;
  creator?: DiscordCreator;
  madeAt?: Date;
  details: DoorDetails;
}

export interface DoorDetails {
  /** The code of an invite, to delete it. */
  code?: string;
  uses?: number;
  maxUses?: number;
  expiresAt?: string;
  channelName?: string;
  /** The option of onboarding, and the question above it. */
  optionId?: string;
  promptTitle?: string;
  /** Whether the option gives nothing besides roles of rules, so that it goes with them. */
  givesNoMore?: boolean;
  /** How many people have a role that lets them give others. */
  holders?: number;
  /** The role that lets them. */
  staffRoleId?: string;
  isAdministrator?: boolean;
}

/** A member who has a role with the permission to give roles, with all of their roles. */
interface Holder {
  userId: string;
  userName: string | null;
  isBot: boolean;
  roleIds: readonly string[];
}

/** A server as Discord shows it. What could not be read is undefined: it is unknown, not empty. */
interface DoorScene {
  guildId: string;
  ownerId: string;
  /** Our bot, whose power over roles is the purpose. */
  botId: string;
  roles: readonly DiscordRoleObject[];
  /** The roles that rules decide. */
  ruledRoleIds: readonly string[];
  holders: readonly Holder[];
  invites: readonly DiscordInvite[] | undefined;
  onboarding: DiscordOnboarding | undefined;
  integrations: readonly DiscordIntegration[] | undefined;
}

/** Finds every way to a ruled role that does not go through the rules. */
export function findDoors(scene: DoorScene): Door[] {
  const ruled = scene.roles.filter(({ id }) => scene.ruledRoleIds.includes(id));
  if (ruled.length === 0) return [];
  return [
    ...findInvites(scene, ruled),
    ...findOptions(scene, ruled),
    ...ruled.flatMap((role) => findTags(scene, role)),
    ...findBots(scene, ruled),
    ...findStaff(scene, ruled),
  ];
}

function doorId(...parts: readonly string[]): string {
  return hash('sha256', parts.join('\n')).slice(0, 32);
}

function findInvites({ invites = [] }: DoorScene, ruled: readonly DiscordRoleObject[]): Door[] {
  return invites.flatMap(({ code, roleIds, creator, createdAt, expiresAt, channelName, uses, maxUses }) =>
    ruled
      .filter(({ id }) => roleIds.includes(id))
      .map((role) => ({
        id: doorId('invite', code),
        kind: 'invite' as const,
        roleId: role.id,
        name: code,
        ...(creator && { creator }),
        ...(createdAt && { madeAt: createdAt }),
        details: {
          code,
          ...(uses !== undefined && { uses }),
          ...(maxUses !== undefined && { maxUses }),
          ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
          ...(channelName !== undefined && { channelName }),
        },
      })),
  );
}

function findOptions({ onboarding }: DoorScene, ruled: readonly DiscordRoleObject[]): Door[] {
  if (onboarding?.isEnabled !== true) return [];
  return onboarding.prompts.flatMap((prompt) =>
    prompt.options.flatMap(({ id: optionId, title, roleIds, channelIds }) => {
      const given = ruled.filter(({ id }) => roleIds.includes(id));
      const details = {
        optionId,
        promptTitle: prompt.title,
        givesNoMore: given.length === roleIds.length + channelIds.length,
      };
      return given.map((role) => ({
        id: doorId('onboarding', optionId),
        kind: 'onboarding' as const,
        roleId: role.id,
        name: title,
        details,
      }));
    }),
  );
}

/** What Discord itself gives a role for: connected accounts, purchases, subscriptions elsewhere. */
function findTags({ integrations = [] }: DoorScene, { id: roleId, name, tags = {} }: DiscordRoleObject): Door[] {
  const is = (tag: keyof typeof tags) => tags[tag] !== undefined;
  const door = (kind: DoorKind, more: Partial<Door> = {}): Door => ({
    id: doorId(kind, roleId),
    kind,
    roleId,
    name,
    details: {},
    ...more,
  });
  const isForSale = is('available_for_purchase') || is('subscription_listing_id');
  const integration = integrations.find((one) => one.roleId === roleId || one.id === tags.integration_id);
  const isIntegrated = integration !== undefined || is('integration_id') || is('premium_subscriber');
  return [
    ...(is('guild_connections') ? [door('linked-role')] : []),
    ...(isForSale ? [door('purchase')] : []),
    ...(isIntegrated && !isForSale
      ? [
          door('integration', {
            name: integration?.name ?? name,
            ...(integration?.creator && { creator: integration.creator }),
          }),
        ]
      : []),
  ];
}

const givesRoles = discordPermissions.ManageRoles | discordPermissions.Administrator;

/** Whether the permission of a role lets its members give others. */
export function letsGive({ permissions }: DiscordRoleObject): boolean {
  return (BigInt(permissions) & givesRoles) !== 0n;
}

/** At the same position the older role is higher. */
function isAbove(role: DiscordRoleObject, other: DiscordRoleObject): boolean {
  if (role.position !== other.position) return role.position > other.position;
  return BigInt(role.id) < BigInt(other.id);
}

/** Other bots that may give roles, by all of their roles together. */
function findBots(scene: DoorScene, ruled: readonly DiscordRoleObject[]): Door[] {
  const { guildId, roles, holders, integrations = [] } = scene;
  const rolesOf = new Map<string, Set<string>>();
  const names = new Map<string, string>();
  for (const { tags, id, name } of roles) {
    if (tags?.bot_id === undefined) continue;
    rolesOf.set(tags.bot_id, new Set([id]));
    names.set(tags.bot_id, name);
  }
  for (const { userId, userName, isBot, roleIds } of holders) {
    if (!isBot) continue;
    const botId = plainId(userId);
    rolesOf.set(botId, new Set([...(rolesOf.get(botId) ?? []), ...roleIds]));
    if (userName !== null) names.set(botId, userName);
  }
  rolesOf.delete(scene.botId);
  return [...rolesOf].flatMap(([botId, roleIds]) => {
    const held = roles.filter(({ id }) => id === guildId || roleIds.has(id));
    if (!held.some(letsGive)) return [];
    const creator = integrations.find((one) => one.botId === botId)?.creator;
    return ruled
      .filter((role) => held.some((one) => isAbove(one, role)))
      .map((role) => ({
        id: doorId('bot', botId),
        kind: 'bot' as const,
        roleId: role.id,
        name: names.get(botId) ?? botId,
        ...(creator && { creator }),
        details: { isAdministrator: held.some(isAdministrator) },
      }));
  });
}

/** Roles of people with the permission to give roles. What they reach depends on the highest role of each of them. */
function findStaff(scene: DoorScene, ruled: readonly DiscordRoleObject[]): Door[] {
  const { guildId, roles, ownerId } = scene;
  const people = scene.holders.filter(({ isBot, userId }) => !isBot && userId !== userKey('discord', ownerId));
  return roles.filter(letsGive).flatMap((role) => {
    const isEveryone = role.id === guildId;
    const holders = people.filter(({ roleIds }) => roleIds.includes(role.id));
    if (holders.length === 0 && !isEveryone) return [];
    const held = new Set([role.id, ...holders.flatMap(({ roleIds }) => roleIds)]);
    // Anyone may have any role below those of bots, so @everyone reaches all of them.
    const reach = roles.filter(({ id, tags }) => held.has(id) || (isEveryone && tags?.bot_id === undefined));
    return ruled
      .filter((one) => reach.some((top) => isAbove(top, one)))
      .map((one) => ({
        id: doorId('staff', role.id),
        kind: 'staff' as const,
        roleId: one.id,
        name: role.name,
        details: {
          ...(!isEveryone && { holders: holders.length }),
          staffRoleId: role.id,
          isAdministrator: isAdministrator(role),
        },
      }));
  });
}

function isAdministrator({ permissions }: DiscordRoleObject): boolean {
  return (BigInt(permissions) & discordPermissions.Administrator) !== 0n;
}

function plainId(userId: string): string {
  return userId.split('#').at(-1) ?? userId;
}
