import { notFound, type Page } from '@latchkey/kernel';
import { ownCommunity } from '../../communities/access/index.ts';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { countHolders } from '../../communities/memberships/index.ts';
import { type CommunityRuleRow, selectRule, selectRules } from '../../communities/rule-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { countHeldRemovals, selectBreakers } from '../role-changes/index.ts';
import { selectRuleHealth, toRuleHealth } from '../rule-health/index.ts';
import type { RuleDetails, RuleSummary } from './shapes.ts';
import { rolesOf, sentencesFor } from './words.ts';

/** Returns the rules of a community, oldest first; with `search`, those whose description contains the text. */
export async function listCommunityRules(
  ctx: Context,
  { communityId, search, ...request }: { communityId: string; search?: string | undefined } & PageRequest,
): Promise<Page<RuleSummary>> {
  const community = await ownCommunity(ctx, communityId);
  // A community has at most 1,000 rules, and their sentences are built from stored data.
  const rows = await selectRules(ctx.db.system, community.id);
  const wanted = search?.trim().toLowerCase() ?? '';
  const all = await summarize(ctx, community, rows);
  const found = wanted === '' ? all : all.filter((rule) => wordsOf(rule).includes(wanted));
  return paginate(ctx, request, {
    list: `rules:${community.id}:${wanted}`,
    read: async (after, limit) => {
      const from = after === undefined ? 0 : placeAfter(found, after);
      return found.slice(from, from + limit);
    },
    cursorOf: ({ createdTime, id }) => [createdTime, id],
  });
}

export async function getCommunityRule(
  ctx: Context,
  { communityId, ruleId }: { communityId: string; ruleId: string },
): Promise<RuleDetails> {
  const community = await ownCommunity(ctx, communityId);
  const row = await selectRule(ctx.db.system, community.id, ruleId);
  if (row === undefined) throw notFound('rule');
  const [summary] = await summarize(ctx, community, [row]);
  if (summary === undefined) throw notFound('rule');
  return { ...summary, rule: { ...row.definition, roleId: row.role_id } };
}

async function summarize(
  ctx: Context,
  community: CommunityRow,
  rows: readonly CommunityRuleRow[],
): Promise<RuleSummary[]> {
  const roleIds = [...new Set(rows.map((row) => row.role_id))];
  const roles = await rolesOf(ctx, community);
  const ruleIds = rows.map(({ id }) => id);
  const [sentenceOf, holders, held, stops, health] = await Promise.all([
    sentencesFor(ctx, rows, roles),
    countHolders(ctx.db.system, community.id, roleIds),
    countHeldRemovals(ctx.db.system, community.id),
    selectBreakers(ctx.db.system, community.id),
    selectRuleHealth(ctx.db.system, community.id, ruleIds),
  ]);
  return rows.map((row) => {
    const { role_id: roleId, definition } = row;
    const role = roles?.get(roleId);
    const stop = stops.find((one) => one.userId === undefined && (one.roleId ?? roleId) === roleId);
    return {
      id: row.id,
      name: textIn(definition.name),
      description: textIn(definition.description),
      roleId,
      roleName: role?.name,
      roleColor: role?.color,
      roleState: roles === undefined ? 'unknown' : role === undefined ? 'missing' : 'there',
      ...sentenceOf(row),
      holders: holders.get(roleId) ?? 0,
      heldRemovals: held.get(roleId) ?? 0,
      blocked: stop?.advice,
      health: toRuleHealth(health.get(row.id)),
      visibility: row.visibility,
      createdTime: row.created_at.toISOString(),
      updatedTime: row.updated_at.toISOString(),
    };
  });
}

/** The position after the last rule that was shown, or where it would be if it was deleted. */
function placeAfter(rules: readonly RuleSummary[], [time = '', last = '']: readonly string[]): number {
  const index = rules.findIndex(({ id }) => id === last);
  if (index !== -1) return index + 1;
  const later = rules.findIndex(({ createdTime }) => createdTime > time);
  return later === -1 ? rules.length : later;
}

function wordsOf({ name = '', description = '', roleName = '', sentence }: RuleSummary): string {
  return [name, description, roleName, sentence].join('\n').toLowerCase();
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
