import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { PlatformFailed, type RulingRole } from '../../ports/index.ts';
import { platformTitles } from './ask-platform.ts';
import { selectCommunity } from './queries.ts';

/**
 * Refuses a role that would let its holders rule over others on the platform: such a role is given by a person, never by
 * what somebody holds. A platform that cannot be asked refuses nothing, since the role is looked at again before it is
 * given to anybody.
 */
export async function refuseRulingRoles(
  ctx: Pick<Context, 'db' | 'hosts'>,
  id: string,
  roles: readonly { roleId: string; path: string }[],
): Promise<void> {
  const community = await selectCommunity(ctx.db.system, id);
  const host = community && ctx.hosts[community.platform];
  if (community === undefined || host?.readRulingRoles === undefined) return;
  let ruling: readonly RulingRole[];
  try {
    ruling = await host.readRulingRoles(community.community_id);
  } catch (error) {
    if (error instanceof PlatformFailed) return;
    throw error;
  }
  for (const { roleId, path } of roles) {
    const role = ruling.find((candidate) => candidate.id === roleId);
    if (role === undefined) continue;
    const message = describeRulingRole(role, platformTitles[community.platform]);
    throw new AppError('VALIDATION_FAILED', `The body at ${path} must name another role. ${message}`, {
      details: [
        { path, code: 'ruling-role', message, info: { roleId, roleName: role.name, permissions: role.permissions } },
      ],
    });
  }
}

/** Why a role is not given, and what can be done about it. */
export function describeRulingRole({ name, permissions }: RulingRole, platform: string): string {
  return `The role "${name}" has ${permissions.join(', ')}, so people must give it in ${platform} themselves. Use another role, or remove these permissions from it.`;
}
