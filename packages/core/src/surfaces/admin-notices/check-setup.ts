import { hash } from 'node:crypto';
import { type Sql, sql } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { findRuleFaults } from '../../communities/community/index.ts';
import { activeCommunities, type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { checkBotConfig } from '../../communities/discord-guilds/index.ts';
import { hasRules, selectRules } from '../../communities/rule-records/index.ts';
import { selectBreakers } from '../../gating/role-changes/index.ts';
import type { RoleHost } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { getDevvitApp } from '../devvit/index.ts';
import { isCommunityConfigSet } from '../reddit/index.ts';
import { closeOne, noteOne } from './find.ts';
import { botIsOut } from './find-queries.ts';

/**
 * Checks whether the bot has what it needs in a community. Admins are notified once of each set of problems, and again
 * when all are fixed.
 */
export async function checkSetup(ctx: Context, communityId: string): Promise<void> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community?.status !== 'active') return;
  const problems = await findProblems(ctx, community);
  const about = hash('sha256', JSON.stringify(problems)).slice(0, 32);
  const { id, owner_id } = community;
  for (const over of await selectOpenSetups(ctx.db.system, id))
    if (over.about !== about) await closeOne(ctx, { ...over, owner_id, status: null, decided_by: null });
  if (problems.length > 0)
    await noteOne(ctx, { community_id: id, owner_id, kind: 'broken-setup', about, details: { problems } });
}

async function selectOpenSetups(db: Sql, communityId: string) {
  return db
    .selectFrom('admin_notices')
    .select(['id', 'community_id', 'kind', 'about', 'details'])
    .where('community_id', '=', communityId)
    .where('kind', '=', 'broken-setup')
    .where('about', '<>', botIsOut)
    .where('closed_at', 'is', null)
    .execute();
}

/** What prevents the bot from changing roles, each as an instruction. Blocked roles have their own notices. */
async function findProblems(ctx: Context, community: CommunityRow): Promise<string[]> {
  switch (community.platform) {
    case 'discord': {
      if (ctx.discord === undefined) return [];
      const stopped = new Set((await selectBreakers(ctx.db.system, community.id)).map(({ roleId = '*' }) => roleId));
      const { errors = [] } = await checkBotConfig(ctx, { communityId: community.id });
      const isNews = ({ details }: (typeof errors)[number]) =>
        isCritical(details) && fieldIn(details, 'permission') !== unused && !stopped.has(fieldIn(details, 'roleId'));
      return errors.filter(isNews).flatMap(({ action }) => action ?? []);
    }
    case 'telegram': {
      const missing = (await ctx.telegram?.missingRights(community.community_id)) ?? [];
      return missing.map((right) => `Let the bot ${right}.`);
    }
    case 'reddit': {
      const app = await getDevvitApp(ctx, { communityId: community.id });
      if (app.isPaired)
        return app.isSilent === true
          ? [
              'Check on Reddit that the Latchkey app is installed and has the current pairing code. It does not call this server.',
            ]
          : [];
      if (ctx.reddit === undefined) return [];
      const { botTokenStatus, message } = await isCommunityConfigSet(ctx, { communityId: community.id });
      if (botTokenStatus === 'unknown') throw new AppError('UNAVAILABLE', message ?? 'Reddit is not responding.');
      return botTokenStatus === 'valid' || message === undefined ? [] : [message];
    }
    default: {
      const host = ctx.hosts[community.platform];
      return host === undefined ? [] : findHostProblems(ctx, host, community);
    }
  }
}

async function findHostProblems(ctx: Context, host: RoleHost, community: CommunityRow): Promise<string[]> {
  const faults = await findRuleFaults(ctx, host, community);
  const roleIds = (await selectRules(ctx.db.system, community.id)).map(({ role_id }) => role_id);
  const checks = (await host.checkSetup?.(community.community_id, [...new Set(roleIds)])) ?? [];
  const others = checks.filter(({ subject, state }) => subject === 'bot' && state === 'broken');
  return [...faults.map(({ advice }) => advice), ...others.flatMap(({ title, remedy }) => `${title}. ${remedy ?? ''}`)];
}

function isCritical(details: unknown): boolean {
  return typeof details === 'object' && details !== null && 'critical' in details && details.critical === true;
}

/** Bot validation requires it, as API clients expect, but the bot works without it. */
const unused = 'BanMembers';

function fieldIn(details: unknown, name: 'permission' | 'roleId'): string {
  if (typeof details !== 'object' || details === null) return '';
  return String(Object.entries(details).find(([key]) => key === name)?.[1] ?? '');
}

/** Claims communities with rules whose setup was not checked since `before`, longest ago first. */
export async function claimDueSetups(db: Sql, before: Date, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ community_id: string }>`
    insert into setup_checks (community_id, checked_at)
    select c.id, ${now} from (${activeCommunities}) c left join setup_checks s on s.community_id = c.id
    where (s.checked_at is null or s.checked_at < ${before}) and ${hasRules(sql.ref('c.id'))}
    order by s.checked_at nulls first, c.id limit ${limit}
    on conflict (community_id) do update set checked_at = excluded.checked_at
    returning community_id`.execute(db);
  return rows.map(({ community_id }) => community_id);
}
