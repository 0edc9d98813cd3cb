import {
  type DiscordGuildObject,
  findDiscordBotFault,
  findDiscordRoleFault,
  type RoleHost,
  rulesServer,
} from '@latchkey/core/ports';
import { type DiscordClient, platformFailed } from '../rest/create-client.ts';
import { type MemberPage, memberRoles, readMember, readPage } from './members.ts';
import { type GuildRoles, notUnderstood, readRoles, readScene, rolesIn } from './read-scene.ts';
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
      let unread = 0;
      let isCutOff = false;
      for (let after: string | undefined = '0'; after !== undefined; ) {
        const page: MemberPage = await readPage(client, guildId, after, { signal });
        if (page.members.length > 0) yield page.members.map(memberRoles);
        unread += page.malformed;
        isCutOff = page.isCutOff;
        after = page.next;
      }
      return { isComplete: unread === 0 && !isCutOff, ...(unread > 0 && { reason: unreadable(unread) }) };
    },
    readRoles: async (guildId, signal) =>
      (await readRoles(client, guildId, signal)).roles.map(({ id, name, color, position, managed }) => ({
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
      const held = roles.roles.filter((role) => role.id === guildId || member.roles.includes(role.id));
      if (owner_id === userId || rulesServer(held.map((role) => role.permissions))) return true;
      // What a role that could not be read allows is unknown.
      if (roles.isPartial && held.length < new Set([...member.roles, guildId]).size) throw notUnderstood();
      return false;
    },
    findOwner: async (guildId, signal) => (await readGuild(client, guildId, signal)).owner_id,
    findFaults: async (guildId, roleIds, signal) => {
      // What is seen now counts for more than what was refused before it was changed.
      desk.refusals.forget(guildId);
      const scene = await readScene(client, guildId, signal);
      const botFault = findDiscordBotFault(scene);
      return [
        ...(botFault === undefined ? [] : [botFault]),
        ...roleIds.flatMap((roleId) => findDiscordRoleFault(scene, roleId) ?? []),
      ];
    },
  };
}

function unreadable(count: number): string {
  return `Discord sent ${count === 1 ? '1 member' : `${count} members`} that could not be read. They keep their roles.`;
}

async function readGuild(
  client: DiscordClient,
  guildId: string,
  signal?: AbortSignal,
): Promise<Pick<DiscordGuildObject, 'owner_id'> & { roles: GuildRoles }> {
  const answer = await client.call('GET', `/guilds/${guildId}`, { signal });
  if (answer.kind !== 'ok') throw platformFailed(answer);
  const { owner_id, roles } = Object(answer.body) as Partial<DiscordGuildObject>;
  if (typeof owner_id !== 'string') throw notUnderstood();
  return { owner_id, roles: rolesIn(guildId, roles) };
}
