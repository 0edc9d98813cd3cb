import { AppError } from '@latchkey/kernel';
import { countHolders } from '../../communities/members/index.ts';
import type { Context } from '../../context.ts';
import { notConfigured } from '../../platform-setup.ts';
import { PlatformFailed, type Refusal } from '../../ports/index.ts';
import { ownCommunity } from '../role-plans/index.ts';
import type { RuleRole } from './shapes.ts';

/** The roles of the community as the platform shows them now, with what keeps rules from giving some of them. */
export async function listRuleRoles(ctx: Context, { communityId }: { communityId: string }): Promise<RuleRole[]> {
  const community = await ownCommunity(ctx, communityId);
  const host = ctx.hosts[community.platform];
  if (host === undefined) throw notConfigured(community.platform);
  try {
    const roles = await host.readRoles(community.community_id);
    const ids = roles.map(({ id }) => id);
    const faults: readonly Refusal[] = (await host.findFaults?.(community.community_id, ids)) ?? [];
    const holders = await countHolders(ctx.db.system, community.id, ids);
    return roles.map(({ id, name, color }) => ({
      id,
      name,
      color,
      holders: holders.get(id) ?? 0,
      fault: faults.find(({ roleId }) => roleId === id)?.advice,
    }));
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    if (error.kind !== 'unavailable') throw new AppError('STATE_CONFLICT', error.message, { cause: error });
    throw new AppError('UNAVAILABLE', 'The chat platform does not answer at the moment; try again shortly.', {
      retryAfterSeconds: error.retryAfterSeconds ?? 5,
      cause: error,
    });
  }
}
