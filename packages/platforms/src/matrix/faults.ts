import type { Refusal } from '@latchkey/core/ports';
import type { MatrixClient } from './client.ts';
import { levelOf, neededFor, neededToSet, type Power, powerLevels, rulingPermissions } from './power.ts';
import { parseRole } from './roles.ts';
import { readPower } from './rooms.ts';
import type { Scene } from './scene.ts';

/** What keeps a role from being written; undefined if nothing does. */
export async function findFault(
  client: MatrixClient,
  scene: Scene,
  roleId: string,
  signal?: AbortSignal,
): Promise<Refusal | undefined> {
  const role = parseRole(roleId);
  const { power, botId, children } = scene;
  const botLevel = levelOf(power, botId);
  switch (role?.kind) {
    case 'member':
      return findMembershipFault(power, botLevel, roleId);
    case 'level': {
      if (botLevel < neededToSet(power, powerLevels))
        return {
          roleId,
          fault: 'permission',
          advice: 'Give the bot a power level that may change permissions (usually 100, Admin).',
        };
      if (role.level >= botLevel)
        return { roleId, fault: 'above-bot', advice: `Give the bot a power level above ${role.level}.` };
      const permissions = rulingPermissions(power, role.level);
      if (permissions.length === 0) return undefined;
      const advice = `Power level ${role.level} allows more than taking part: ${permissions.join(', ')}. Choose a lower level in the rule, or raise what these need.`;
      return { roleId, fault: 'ruling', advice, permissions };
    }
    case 'room': {
      if (!children.some(({ roomId }) => roomId === role.roomId))
        return {
          roleId,
          fault: 'missing',
          advice: 'Add this room to the space and invite the bot to it, or choose another role in the rule.',
        };
      const roomPower = await readPower(client, role.roomId, signal);
      return findMembershipFault(roomPower, levelOf(roomPower, botId), roleId);
    }
    default:
      return {
        roleId,
        fault: 'missing',
        advice: 'This is not a role of a Matrix community. Choose another role in the rule.',
      };
  }
}

function findMembershipFault(power: Power, botLevel: number, roleId: string): Refusal | undefined {
  if (botLevel >= Math.max(neededFor(power, 'invite'), neededFor(power, 'kick'))) return undefined;
  return {
    roleId,
    fault: 'permission',
    advice: 'Give the bot a power level in this room that may invite and remove users (usually 50, Moderator).',
  };
}
