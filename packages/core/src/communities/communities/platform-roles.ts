import type { Context } from '../../context.ts';
import { PlatformFailed, type PlatformRole } from '../../ports/index.ts';
import type { CommunityRow } from './queries.ts';

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
    ctx.log.warn('The roles of a community could not be read.', { platform, reason: error.message });
    return undefined;
  }
}
