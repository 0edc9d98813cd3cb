import {
  type DiscordGuildObject,
  type DiscordRoleObject,
  PlatformFailed,
  powersOf,
  type RoleHost,
  rulesServer,
} from '@latchkey/core/ports';
import { type DiscordClient, platformFailed } from '../rest/create-client.ts';
import { memberRoles, membersPerPage, readMember, readPage } from './members.ts';
import { Refusals } from './refusals.ts';
import { WriteChecks } from './verify-writes.ts';
import { writeMember } from './write-member.ts';

// Enough for a page to check many of them at once, and few enough that each is done within about a minute.
const writesAtOnce = 60;

/** Discord as a place whose roles can be read and written. */
export function createDiscordHost(client: DiscordClient): RoleHost {
  const desk = { client, refusals: new Refusals(client.governor.time), checks: new WriteChecks(client) };
  return {
    platform: 'discord',
    writesAtOnce,
    readMember: async (guildId, userId, signal) => {
      const member = await readMember(client, guildId, userId, { signal });
      return member && memberRoles(member);
    },
    readMembers: async function* (guildId, signal) {
      for (let after = '0'; ; ) {
        const page = await readPage(client, guildId, after, { signal });
        if (page.length > 0) yield page.map(memberRoles);
        after = page.at(-1)?.user.id ?? after;
        if (page.length < membersPerPage) return;
      }
    },
    readRoles: async (guildId, signal) =>
      (await readRoles(client, guildId, signal)).map(({ id, name, color, position, managed }) => ({
        id,
        name,
        color,
        position,
        isManaged: managed,
      })),
    writeMember: (write, signal) => writeMember(desk, write, signal),
    administers: async (guildId, userId, signal) => {
      const [{ owner_id, roles }, member] = await Promise.all([
        readGuild(client, guildId, signal),
        readMember(client, guildId, userId, { signal }),
      ]);
      if (member === undefined) return false;
      if (!Array.isArray(member.roles)) throw notUnderstood();
      const held = roles.filter((role) => role.id === guildId || member.roles.includes(role.id));
      return owner_id === userId || rulesServer(held.map((role) => role.permissions));
    },
    findOwner: async (guildId, signal) => (await readGuild(client, guildId, signal)).owner_id,
    readRulingRoles: async (guildId, signal) => {
      const roles = await readRoles(client, guildId, signal);
      const everyone = roles.find(({ id }) => id === guildId);
      return roles.flatMap((role) => {
        const permissions = powersOf(role, everyone);
        return permissions.length === 0 ? [] : [{ id: role.id, name: role.name, permissions }];
      });
    },
  };
}

async function readGuild(
  client: DiscordClient,
  guildId: string,
  signal?: AbortSignal,
): Promise<Pick<DiscordGuildObject, 'owner_id' | 'roles'>> {
  const answer = await client.call('GET', `/guilds/${guildId}`, { signal });
  if (answer.kind !== 'ok') throw platformFailed(answer);
  const { owner_id, roles } = Object(answer.body) as Partial<DiscordGuildObject>;
  if (typeof owner_id !== 'string') throw notUnderstood();
  return { owner_id, roles: rolesIn(guildId, roles) };
}

async function readRoles(client: DiscordClient, guildId: string, signal?: AbortSignal): Promise<DiscordRoleObject[]> {
  const answer = await client.call('GET', `/guilds/${guildId}/roles`, { signal });
  if (answer.kind !== 'ok') throw platformFailed(answer);
  return rolesIn(guildId, answer.body);
}

/** What decides about power is looked at before it is believed: half an answer is none. */
function rolesIn(guildId: string, value: unknown): DiscordRoleObject[] {
  if (!Array.isArray(value) || !value.every(isRole)) throw notUnderstood();
  // Every server has @everyone, whose id is the server's own.
  if (!value.some(({ id }) => id === guildId)) throw notUnderstood();
  return value;
}

function isRole(value: unknown): value is DiscordRoleObject {
  const { id, permissions } = Object(value) as Partial<Record<keyof DiscordRoleObject, unknown>>;
  return typeof id === 'string' && typeof permissions === 'string' && /^\d{1,40}$/.test(permissions);
}

function notUnderstood(): PlatformFailed {
  return new PlatformFailed('unavailable', 'Discord answered in a form that is not understood.', 30);
}
