import { findRuleFaults } from '../../communities/community/index.ts';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import type { Refusal, RoleHost } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { checkBypasses } from './check-bypasses.ts';
import type { SetupCheck } from './setup-check.ts';

export const whyInside = 'The bot reads members and gives roles from inside the community.';

/** What the host checks in detail, the roles that it cannot give, and who came in around it. */
export async function checkHost(ctx: Context, host: RoleHost, community: CommunityRow): Promise<SetupCheck[]> {
  const faults = await findRuleFaults(ctx, host, community);
  if (host.checkSetup === undefined) return checkFaults(faults);
  const roleIds = [...new Set((await selectRules(ctx.db.system, community.id)).map(({ role_id }) => role_id))];
  const checks = await host.checkSetup(community.community_id, roleIds);
  // The checks have the rights of the bot already, each by its name.
  const others = faults.filter(({ fault }) => fault !== 'permission');
  return [
    ...checks,
    ...(others.length > 0 ? checkFaults(others) : []),
    ...(checks.some(({ subject, roleId }) => subject === 'permission' && roleId !== undefined)
      ? [await checkBypasses(ctx, community)]
      : []),
  ];
}

/** The problem that prevents roles from being written, for a platform without its own checks. */
function checkFaults(faults: readonly Refusal[]): SetupCheck[] {
  const bot = { id: 'bot', subject: 'bot', title: 'Bot in the community', reason: whyInside } as const;
  if (faults.length === 0) return [{ ...bot, state: 'ok' }];
  return faults.map(({ advice, roleId }, index) => ({
    ...bot,
    id: roleId === undefined ? `bot.${index}` : `role.${roleId}`,
    state: 'broken',
    remedy: advice,
    ...(roleId !== undefined && { subject: 'role', roleId }),
  }));
}
