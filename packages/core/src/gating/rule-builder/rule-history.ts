import { notFound, type Page } from '@latchkey/kernel';
import { listRuleChanges, type RuleState, selectRule } from '../../communities/communities/index.ts';
import { selectMembers } from '../../communities/members/index.ts';
import type { Context } from '../../context.ts';
import { type PageRequest, paginate } from '../../paging.ts';
import { ownCommunity } from '../role-plans/index.ts';
import type { RuleChange } from './shapes.ts';
import { rolesOf, sentencesFor } from './words.ts';

/** Every change of a rule, the newest first. A rule that was removed has a history too. */
export async function listRuleHistory(
  ctx: Context,
  { communityId, ruleId, ...request }: { communityId: string; ruleId: string } & PageRequest,
): Promise<Page<RuleChange>> {
  const community = await ownCommunity(ctx, communityId);
  const page = await paginate(ctx, request, {
    list: `rule-history:${community.id}:${ruleId}`,
    read: (after, limit) => listRuleChanges(ctx.db.system, community.id, ruleId, after?.[0], limit),
    cursorOf: ({ id }) => [String(id)],
  });
  if (page.items.length === 0 && (await selectRule(ctx.db.system, community.id, ruleId)) === undefined)
    throw notFound('rule');
  const states = page.items.flatMap(({ before, after }) => [before, after]).filter((state) => state !== null);
  const sentenceOf = await sentencesFor(ctx, states.map(toKept), await rolesOf(ctx, community));
  const people = await selectMembers(ctx.db.system, community.id, [
    ...new Set(page.items.map((row) => row.changed_by)),
  ]);
  const names = new Map(people.map(({ user_id, user_name }) => [user_id, user_name]));
  const show = (state: RuleState) => ({
    sentence: sentenceOf(toKept(state)).sentence,
    visibility: state.visibility,
    rule: { ...state.definition, roleId: state.roleId },
  });
  return {
    ...page,
    items: page.items.map((row) => ({
      id: String(row.id),
      action: row.action,
      changedBy: row.changed_by,
      changedByName: names.get(row.changed_by) ?? undefined,
      changedTime: row.changed_at.toISOString(),
      ...(row.before !== null && { before: show(row.before) }),
      ...(row.after !== null && { after: show(row.after) }),
    })),
  };
}

function toKept({ roleId, definition }: RuleState) {
  return { role_id: roleId, definition };
}
