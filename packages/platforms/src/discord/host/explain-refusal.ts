import { findDiscordBotFault, findDiscordRoleFault } from '@latchkey/core/ports';
import { codes, type DiscordClient, type Refused } from '../rest/create-client.ts';
import { readScene } from './read-scene.ts';
import type { Forbidden } from './refusals.ts';

/**
 * Finds out what Discord forbade, and says it so that an admin can act on it. A refusal that names no role leaves open
 * which of several changes it is about.
 */
export async function explainRefusal(
  client: DiscordClient,
  guildId: string,
  refusal: Refused,
  roleIds: readonly string[],
): Promise<Forbidden> {
  const { code, status, message } = refusal;
  if (code === codes.unknownGuild || code === codes.missingAccess)
    return {
      kind: 'forbidden',
      scope: 'community',
      fault: 'no-access',
      advice: 'The bot is not in the Discord server any more. Invite it again.',
    };
  if (status === 401) return { kind: 'forbidden', scope: 'community', fault: 'no-access', advice: message };
  const scene = await readScene(client, guildId).catch(() => undefined);
  const fault =
    scene &&
    (findDiscordBotFault(scene) ??
      roleIds.map((roleId) => findDiscordRoleFault(scene, roleId)).find((found) => found && found.fault !== 'ruling'));
  if (fault !== undefined) return { kind: 'forbidden', ...fault };
  return { kind: 'forbidden', advice: adviceFor(refusal), ...(aboutRoles.has(code) ? onlyOne(roleIds) : {}) };
}

/** Refusals that are the role's fault, whoever is to have it. */
const aboutRoles: ReadonlySet<number> = new Set([
  codes.missingPermissions,
  codes.unknownRole,
  codes.invalidRole,
  codes.invalidForm,
]);

function onlyOne(roleIds: readonly string[]): { roleId?: string } {
  const [roleId] = roleIds;
  return roleIds.length === 1 && roleId !== undefined ? { roleId } : {};
}

function adviceFor({ code, message }: Refused): string {
  if (code === codes.missingPermissions)
    return 'Discord does not allow the bot to change this role. Give it the permission Manage Roles and move its role above the roles it gives.';
  if (code === codes.unknownRole || code === codes.invalidRole)
    return 'The role is not in the Discord server any more. Choose another in the rule.';
  return `Discord refuses the change: ${message}`;
}
