import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { describeMissing } from '../../platform-setup.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { type CommunityRow, selectCommunity, selectRules } from '../communities/index.ts';
import { checkDiscord } from './check-discord.ts';
import { checkLinkedRoles } from './check-linked-roles.ts';
import { checkReddit, checkTelegram } from './check-others.ts';
import { discordInvite } from './invite-links.ts';
import { type CommunitySetup, type Findings, faultsFirst, stateOf } from './setup-check.ts';

/** Asks the platform what the bot has and what it lacks. A platform that does not answer is no fault of the set-up. */
export async function checkCommunitySetup(
  ctx: Context,
  { communityId }: { communityId: string },
): Promise<CommunitySetup> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined) throw notFound('community');
  const found = await lookAt(ctx, community).catch((error: unknown) => {
    if (!(error instanceof PlatformFailed)) throw error;
    return describeFailure(community, error);
  });
  const inviteLink = community.platform === 'discord' ? discordInvite(ctx, community.community_id) : undefined;
  return {
    communityId: community.id,
    platform: community.platform,
    checkedTime: ctx.clock().toISOString(),
    ...(inviteLink !== undefined && { inviteLink }),
    ...('problem' in found
      ? { state: 'unknown', problem: found.problem, checks: [] }
      : { state: stateOf(found.checks), checks: faultsFirst(found.checks) }),
  };
}

async function lookAt(ctx: Context, community: CommunityRow): Promise<Findings> {
  const { discord, telegram, reddit } = ctx;
  switch (community.platform) {
    case 'discord': {
      if (discord === undefined) break;
      const rules = await selectRules(ctx.db.system, community.id);
      const roleIds = rules.map(({ role_id }) => role_id);
      const [needed, linkedRoles] = await Promise.all([
        checkDiscord(ctx, discord, community, roleIds),
        checkLinkedRoles(ctx),
      ]);
      return { checks: [...needed, ...linkedRoles] };
    }
    case 'telegram':
      if (telegram === undefined) break;
      return { checks: await checkTelegram(ctx, telegram, community) };
    case 'reddit':
      if (reddit === undefined) break;
      return checkReddit(ctx, community);
  }
  return { problem: describeMissing(community.platform, ['bot']) };
}

/** A platform that does not know the community has put the bot out: that is a fault, and no silence. */
function describeFailure({ platform }: CommunityRow, { kind, message }: PlatformFailed): Findings {
  if (kind !== 'unknown-community' && !(kind === 'forbidden' && platform === 'telegram')) return { problem: message };
  return {
    checks: [
      {
        id: 'bot',
        subject: 'bot',
        state: 'broken',
        title: 'Bot in the community',
        reason: 'The bot reads members and gives roles from inside the community.',
        remedy: 'Add the bot to the community again.',
      },
    ],
  };
}
