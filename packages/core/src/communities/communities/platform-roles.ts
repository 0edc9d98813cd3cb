import type { Context } from '../../context.ts';
import { PlatformFailed, type PlatformRole } from '../../ports/index.ts';
import type { CommunityRow } from './queries.ts';

const timeoutMs = 3_000;

/** The roles of a community by their ids, where the platform tells them in time: names are for people, and not worth a failure. */
export async function readPlatformRoles(
  ctx: Pick<Context, 'hosts' | 'log'>,
  { platform, community_id }: Pick<CommunityRow, 'platform' | 'community_id'>,
): Promise<Map<string, PlatformRole>> {
  try {
    const roles = (await ctx.hosts[platform]?.readRoles(community_id, AbortSignal.timeout(timeoutMs))) ?? [];
    return new Map(roles.map((role) => [role.id, role]));
  } catch (error) {
    if (!(error instanceof PlatformFailed) && !(error instanceof DOMException)) throw error;
    ctx.log.warn('The roles of a community could not be read.', { platform, reason: error.message });
    return new Map();
  }
}
