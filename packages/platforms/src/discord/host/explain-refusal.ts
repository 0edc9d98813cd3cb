import { type DiscordMemberObject, type DiscordRoleObject, discordPermissions } from '@latchkey/core/ports';
import type { DiscordClient } from '../rest/create-client.ts';
import { readMember } from './members.ts';
import type { Forbidden } from './refusals.ts';

/** Finds out why Discord forbade a change of roles, and says it so that an admin can act on it. */
export async function explainRefusal(
  client: DiscordClient,
  guildId: string,
  roleIds: readonly string[],
): Promise<Forbidden> {
  const [roles, self] = await Promise.all([readRoles(client, guildId), readSelf(client, guildId)]).catch(() => []);
  if (roles === undefined || self === undefined) return unclear(roleIds);
  const held = roles.filter((role) => role.id === guildId || self.roles.includes(role.id));
  const bits = held.reduce((sum, role) => sum | BigInt(role.permissions), 0n);
  if ((bits & (discordPermissions.ManageRoles | discordPermissions.Administrator)) === 0n)
    return { kind: 'forbidden', advice: 'Give the bot the permission Manage Roles: Server Settings > Roles.' };
  const top = highest(held.filter((role) => role.id !== guildId));
  const culprit = roles.find((role) => roleIds.includes(role.id) && (role.managed || ranksAbove(role, top)));
  if (culprit === undefined) return unclear(roleIds);
  return { kind: 'forbidden', roleId: culprit.id, advice: adviceFor(culprit, top) };
}

function adviceFor(role: DiscordRoleObject, top: DiscordRoleObject | undefined): string {
  if (role.managed)
    return `The role "${role.name}" belongs to an integration, so nobody can give or take it. Use another role in the rule.`;
  const own = top === undefined ? 'a role of the bot' : `the bot's role "${top.name}"`;
  return `Move the role "${role.name}" below ${own}: Server Settings > Roles. A bot can only give roles lower than its own.`;
}

function unclear(roleIds: readonly string[]): Forbidden {
  return {
    kind: 'forbidden',
    advice:
      'Discord does not allow the bot to change this role. Give it the permission Manage Roles and move its role above the roles it gives.',
    ...(roleIds.length === 1 && roleIds[0] !== undefined ? { roleId: roleIds[0] } : {}),
  };
}

function highest(roles: readonly DiscordRoleObject[]): DiscordRoleObject | undefined {
  return roles.toSorted((a, b) => b.position - a.position)[0];
}

function ranksAbove(role: DiscordRoleObject, top: DiscordRoleObject | undefined): boolean {
  return top === undefined || role.position >= top.position;
}

async function readRoles(client: DiscordClient, guildId: string): Promise<DiscordRoleObject[] | undefined> {
  const answer = await client.call('GET', `/guilds/${guildId}/roles`);
  return answer.kind === 'ok' ? (answer.body as DiscordRoleObject[]) : undefined;
}

async function readSelf(client: DiscordClient, guildId: string): Promise<DiscordMemberObject | undefined> {
  const answer = await client.call('GET', '/users/@me');
  return answer.kind === 'ok' ? readMember(client, guildId, (answer.body as { id: string }).id) : undefined;
}
