import { AppError } from '@latchkey/kernel';
import { type CommunityRow, selectRules } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { notConfigured } from '../../platform-setup.ts';
import { indexRules } from '../following/index.ts';
import { openRules, readableRules, readTokenLists } from '../judging/index.ts';
import type { LookContext, Scope } from './look.ts';

/** Why there is no look at a community that a caller asks about. */
export function cannotLook({ hosts }: Pick<Context, 'hosts'>, { platform }: CommunityRow): AppError {
  if (hosts[platform] === undefined) return notConfigured(platform);
  return new AppError('STATE_CONFLICT', 'The community is paused, or its platform is not connected here.');
}

/** Prepares a look at members of a community. Undefined where roles are not to be touched, or cannot be. */
export async function openScope(
  ctx: LookContext & Pick<Context, 'hosts'>,
  community: CommunityRow,
  wish: Pick<Scope, 'fresh' | 'asked' | 'signal'>,
): Promise<Scope | undefined> {
  const host = ctx.hosts[community.platform];
  if (community.status !== 'active' || host === undefined) return undefined;
  const rows = await selectRules(ctx.db.system, community.id);
  const rules = openRules(rows);
  await indexRules(ctx, community.id, rows, rules);
  const tokenLists = await readTokenLists(ctx, readableRules(rules));
  const roles = host.settle === undefined ? [] : await host.readRoles(community.community_id, wish.signal);
  return { ...wish, community, host, rules, tokenLists, roles };
}
