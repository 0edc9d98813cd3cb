import { AppError } from '@latchkey/kernel';
import { PlatformFailed, type PlatformRole, type Refusal, type RoleFault, type RoleHost } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { type CommunityRow, selectCommunity } from './queries.ts';
import { selectRules } from './rule-queries.ts';

const timeoutMs = 3_000;

type RoleContext = Pick<Context, 'hosts' | 'log'>;
type Place = Pick<CommunityRow, 'platform' | 'community_id'>;

/** The roles of a community by their ids, where the platform tells them in time: names are for people, and not worth a failure. */
export async function readPlatformRoles(ctx: RoleContext, place: Place): Promise<Map<string, PlatformRole>> {
  return (await findPlatformRoles(ctx, place, AbortSignal.timeout(timeoutMs))) ?? new Map();
}

/** The same, and undefined where the platform does not tell. */
export async function findPlatformRoles(
  ctx: RoleContext,
  { platform, community_id }: Place,
  signal: AbortSignal,
): Promise<Map<string, PlatformRole> | undefined> {
  try {
    const roles = await ctx.hosts[platform]?.readRoles(community_id, signal);
    return roles && new Map(roles.map((role) => [role.id, role]));
  } catch (error) {
    if (!(error instanceof PlatformFailed) && !(error instanceof DOMException)) throw error;
    ctx.log.warn('Failed to read the roles of a community.', { platform, reason: error.message });
    return undefined;
  }
}

/** The codes of these refusals in the details of an error. */
const detailCodes: Partial<Record<RoleFault, string>> = {
  missing: 'missing-role',
  managed: 'managed-role',
  everyone: 'everyone-role',
  'above-bot': 'role-above-bot',
  ruling: 'ruling-role',
};

/** What the platform says keeps the roles of the community's rules from being written. Throws `PlatformFailed`. */
export async function findRuleFaults(
  ctx: Pick<Context, 'db'>,
  host: RoleHost,
  community: CommunityRow,
): Promise<readonly Refusal[]> {
  const rules = await selectRules(ctx.db.system, community.id);
  const roleIds = [...new Set(rules.map(({ role_id }) => role_id))];
  return (await host.findFaults?.(community.community_id, roleIds)) ?? [];
}

/**
 * Refuses a role that the bot cannot give on the platform, and one that would let its holders rule over others there:
 * such a role is given by a person, never by what somebody holds. A platform that cannot be asked refuses nothing, since
 * the role is looked at again before it is given to anybody.
 */
export async function refuseBadRoles(
  ctx: Pick<Context, 'db' | 'hosts'>,
  id: string,
  roles: readonly { roleId: string; path: string }[],
): Promise<void> {
  const community = await selectCommunity(ctx.db.system, id);
  const host = community && ctx.hosts[community.platform];
  if (community === undefined || host?.findFaults === undefined) return;
  let faults: readonly Refusal[];
  try {
    faults = await host.findFaults(
      community.community_id,
      roles.map(({ roleId }) => roleId),
    );
  } catch (error) {
    if (error instanceof PlatformFailed) return;
    throw error;
  }
  for (const { roleId, path } of roles) {
    const found = faults.find((fault) => fault.roleId === roleId);
    const code = found?.fault && detailCodes[found.fault];
    if (found === undefined || code === undefined) continue;
    const { advice: message, roleName, permissions } = found;
    throw new AppError('VALIDATION_FAILED', `The body at ${path} must name another role. ${message}`, {
      details: [
        { path, code, message, info: { roleId, ...(roleName && { roleName }), ...(permissions && { permissions }) } },
      ],
    });
  }
}
