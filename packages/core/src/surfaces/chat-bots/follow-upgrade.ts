import type { PlatformName } from '@latchkey/kernel';
import {
  type CommunityRow,
  deleteCommunity,
  lockCommunity,
  selectByPlatformId,
  updateCommunity,
} from '../../communities/community-records/index.ts';
import { isLockedToFile } from '../../communities/managed-rules/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { rewriteRuleIn } from '../../gating/community-rules/index.ts';
import { resumeCommunity } from '../../gating/role-changes/index.ts';
import type { EnteredPlace } from '../../ports/index.ts';
import { announce } from '../../services/live-updates/index.ts';
import type { Context } from '../../shared/context.ts';

interface Upgrade {
  platform: PlatformName;
  newPlaceId: string;
  entered: EnteredPlace;
}

/**
 * Keeps the community of a place that was replaced, and the rules that let people into it. Only a replacement that both places name is
 * followed. Idempotent; returns false if no community is concerned.
 */
export async function followUpgrade(ctx: Context, { platform, newPlaceId, entered }: Upgrade): Promise<boolean> {
  const { replaces, inside } = entered;
  if (replaces === undefined) return false;
  const isCommunity = await moveCommunity(ctx, platform, { from: replaces.placeId, to: newPlaceId });
  const around = await Promise.all(inside.map((id) => selectByPlatformId(ctx.db.system, platform, id)));
  const parents = around.filter((one) => one !== undefined);
  for (const { id } of parents) await moveRules(ctx, id, replaces);
  return isCommunity || parents.length > 0;
}

/** Only the id used with the platform changes. The qualified id stays, and with it rules, members and history. */
async function moveCommunity(
  ctx: Context,
  platform: PlatformName,
  { from, to }: { from: string; to: string },
): Promise<boolean> {
  const found = await selectByPlatformId(ctx.db.system, platform, from);
  if (found === undefined) return false;
  const isMoved = await ctx.db.transaction('system', async (tx) => {
    const community = await lockCommunity(tx, found.id);
    if (community?.community_id !== from) return false;
    const rival = await selectByPlatformId(tx, platform, to);
    if (rival !== undefined && !(await isReplaceable(rival))) {
      ctx.log
        .for(platform)
        .warn('A community was replaced on its platform by a place that is another community. Keeping both.', {
          communityId: community.id,
          other: rival.id,
        });
      return false;
    }
    if (rival !== undefined) await deleteCommunity(tx, rival.id);
    // The bot may have been reported as removed from the old place before.
    const status = community.status === 'kicked' ? 'active' : community.status;
    await updateCommunity(tx, community.id, { community_id: to, status }, ctx.clock());
    await enqueueReconcile(tx, { communityId: community.id, members: '*', cause: 'schedule' });
    await announce(tx, { changed: 'setup', community: community.id });
    return true;

    async function isReplaceable({ id }: CommunityRow): Promise<boolean> {
      return (await selectRules(tx, id)).length === 0;
    }
  });
  if (isMoved) await resumeCommunity(ctx, found.id);
  return true;
}

/** Rules for the old room give the new one. Members who qualify are let in there, as after any change of a rule. */
async function moveRules(
  ctx: Context,
  communityId: string,
  { roleId, newRoleId }: { roleId: string; newRoleId: string },
): Promise<void> {
  const moved = await ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, communityId);
    const rules = (await selectRules(tx, communityId)).filter((rule) => names(rule.definition, roleId));
    if (rules.length === 0) return 0;
    if (await isLockedToFile(tx, communityId)) {
      ctx.log
        .for('chat-bots')
        .warn('A room was replaced, and the rules for it are locked to a file. Change the role there.', {
          communityId,
          roleId,
          newRoleId,
        });
      return 0;
    }
    for (const rule of rules)
      await rewriteRuleIn(ctx, tx, rule, {
        body: renamed(rule.definition, roleId, newRoleId) as typeof rule.definition,
        visibility: rule.visibility,
      });
    await announce(tx, { changed: 'setup', community: communityId });
    return rules.length;
  });
  if (moved > 0) await resumeCommunity(ctx, communityId);
}

function names(value: unknown, roleId: string): boolean {
  if (typeof value !== 'object' || value === null) return value === roleId;
  return Object.values(value).some((part) => names(part, roleId));
}

/** A rule may name a role as what it gives, and as what it asks for. */
function renamed(value: unknown, from: string, to: string): unknown {
  if (Array.isArray(value)) return value.map((part) => renamed(part, from, to));
  if (typeof value !== 'object' || value === null) return value === from ? to : value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, renamed(part, from, to)]));
}
