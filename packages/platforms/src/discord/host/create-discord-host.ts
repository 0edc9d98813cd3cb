import {
  type DiscordGuildObject,
  type DiscordRoleObject,
  discordPermissions,
  type RoleHost,
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
    readRoles: async (guildId, signal) => {
      const answer = await client.call('GET', `/guilds/${guildId}/roles`, { signal });
      if (answer.kind !== 'ok') throw platformFailed(answer);
      return (answer.body as DiscordRoleObject[]).map(({ id, name, color, position, managed }) => ({
        id,
        name,
        color,
        position,
        isManaged: managed,
      }));
    },
    writeMember: (write, signal) => writeMember(desk, write, signal),
    administers: async (guildId, userId, signal) => {
      const [answer, member] = await Promise.all([
        client.call('GET', `/guilds/${guildId}`, { signal }),
        readMember(client, guildId, userId, { signal }),
      ]);
      if (answer.kind !== 'ok') throw platformFailed(answer);
      const { owner_id, roles } = answer.body as DiscordGuildObject;
      if (member === undefined) return false;
      const bits = roles
        .filter((role) => role.id === guildId || member.roles.includes(role.id))
        .reduce((sum, role) => sum | BigInt(role.permissions), 0n);
      const isTrusted = (bits & (discordPermissions.Administrator | discordPermissions.ManageRoles)) !== 0n;
      return owner_id === userId || isTrusted;
    },
  };
}
