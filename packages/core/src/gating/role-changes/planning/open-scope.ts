import { AppError } from '@latchkey/kernel';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { type CommunityRuleRow, selectRetiredRoles, selectRules } from '../../../communities/rule-records/index.ts';
import type { Context } from '../../../shared/context.ts';
import { notConfigured } from '../../../shared/platform-setup.ts';
import { openRules, readableRules, readTokenLists } from '../../evaluation/index.ts';
import { indexRules } from '../../followers/index.ts';
import type { ReconcileContext, Scope } from './reconcile.ts';

/** Explains to a caller why a community cannot be reconciled. */
export function cannotReconcile({ hosts }: Pick<Context, 'hosts'>, { platform }: CommunityRow): AppError {
  if (hosts[platform] === undefined) return notConfigured(platform);
  return new AppError('STATE_CONFLICT', 'The community is paused, or its platform is not connected to this server.');
}

/** A rule that is evaluated as if it were saved. */
export type DraftedRule = Pick<CommunityRuleRow, 'id' | 'role_id' | 'definition'>;

/** Rules as if they were saved, roles as if they were retired, and guest passes as if they had ended. */
export interface Draft {
  rules: readonly DraftedRule[];
  retiredRoleIds?: readonly string[];
  endedPassIds?: readonly string[];
}

/** Returns the rules of the community and starts following the assets that they name. */
async function openSaved(ctx: ReconcileContext, community: CommunityRow): Promise<CommunityRuleRow[]> {
  const rows = await selectRules(ctx.db.system, community.id);
  await indexRules(ctx, community.id, rows, openRules(rows));
  return rows;
}

/**
 * Prepares a check of a community's members, with its saved rules or with draft rules. Returns undefined if the
 * community is not active or its platform is not connected.
 */
export async function openScope(
  ctx: ReconcileContext & Pick<Context, 'hosts'>,
  community: CommunityRow,
  options: Pick<Scope, 'fresh' | 'requested' | 'signal'>,
  drafted?: Draft,
): Promise<Scope | undefined> {
  const host = ctx.hosts[community.platform];
  if (community.status !== 'active' || host === undefined) return undefined;
  const rules = openRules(drafted?.rules ?? (await openSaved(ctx, community)));
  const retiredRoleIds =
    drafted === undefined ? await selectRetiredRoles(ctx.db.system, community.id) : (drafted.retiredRoleIds ?? []);
  const tokenLists = await readTokenLists(ctx, readableRules(rules));
  const roles = host.settle === undefined ? [] : await host.readRoles(community.community_id, options.signal);
  return { ...options, community, host, rules, retiredRoleIds, endedPassIds: drafted?.endedPassIds, tokenLists, roles };
}
