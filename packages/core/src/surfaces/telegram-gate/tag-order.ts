import { isTagRole, notFound, op, record, shape, T, tagOfRole, text, type ValueOf } from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin } from '../../communities/access/index.ts';
import { type CommunityRow, lockCommunity, selectCommunity } from '../../communities/community-records/index.ts';
import { refuseLocked } from '../../communities/managed-rules/index.ts';
import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { type CommunityRuleRow, maxRules, selectRules, setRuleOrder } from '../../communities/rule-records/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';

const roleId = text('The id of a tag as a role.', { minLength: 1, maxLength: 128 });

const TagOrder = record('TagOrder', 'The tags that the rules of a chat give, the most important first.', {
  tags: T.Array(
    T.Object({
      roleId,
      tag: text('What members see.', { maxLength: 128 }),
      rules: T.Number({ description: 'How many rules give it.', minimum: 1 }),
    }),
    { description: 'A member with several of them gets those that fit, in this order.', maxItems: maxRules },
  ),
});
type TagOrder = ValueOf<typeof TagOrder>;

const NewTagOrder = shape(
  T.Object(
    {
      roleIds: T.Array(roleId, {
        description:
          'The most important first. Tags that are not listed keep their order and come last. Ids that no rule gives are ignored.',
        maxItems: maxRules,
      }),
    },
    { additionalProperties: false },
  ),
);
type NewTagOrder = ValueOf<typeof NewTagOrder>;

const path = '/latchkey/communities/{communityId}/tag-order';

export const tagOrderOperations = [
  op(
    `GET ${path}`,
    {
      id: 'getTagOrder',
      summary: 'Get the order of tags',
      description:
        'Returns the tags that the rules of a Telegram chat give, the most important first. Empty if no rule gives one. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: TagOrder,
    },
    getTagOrder,
  ),
  op(
    `PUT ${path}`,
    {
      id: 'setTagOrder',
      summary: 'Set the order of tags',
      description:
        'Sets which tags come first when not all tags of a member fit into the one that Telegram shows, and checks the members again. Refused with STATE_CONFLICT while the community is locked to its rules file. For community admins.',
      audit: 'rule.change',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId: communityParam },
      body: NewTagOrder,
      returns: TagOrder,
      errors: ['STATE_CONFLICT'],
    },
    setTagOrder,
  ),
] as const;

export async function getTagOrder(
  ctx: Pick<Context, 'db'>,
  { communityId }: { communityId: string },
): Promise<TagOrder> {
  const community = await getCommunity(ctx, communityId);
  return describe(await selectRules(ctx.db.system, community.id));
}

export async function setTagOrder(
  ctx: Pick<Context, 'db'>,
  { communityId, body }: { communityId: string; body: NewTagOrder },
): Promise<TagOrder> {
  const community = await getCommunity(ctx, communityId);
  return ctx.db.transaction('system', async (tx) => {
    await lockCommunity(tx, community.id);
    const rows = await selectRules(tx, community.id);
    const before = tagsOf(rows);
    const listed = new Set(body.roleIds.filter((id) => before.includes(id)));
    const after = [...listed, ...before.filter((id) => !listed.has(id))];
    if (after.every((id, place) => id === before[place])) return describe(rows);
    await refuseLocked(tx, community.id);
    // Tags take the places that tags have, so that all other rules stay where they are.
    const tagged = rows
      .filter((row) => isTagRole(row.role_id))
      .toSorted((a, b) => after.indexOf(a.role_id) - after.indexOf(b.role_id))
      .values();
    const ordered = rows.map((row) => (isTagRole(row.role_id) ? (tagged.next().value ?? row) : row));
    await setRuleOrder(
      tx,
      community.id,
      ordered.map(({ id }) => id),
    );
    await enqueueReconcile(tx, {
      communityId: community.id,
      members: '*',
      cause: 'rule',
      roleIds: after,
      ruleChangeIds: [],
    });
    return describe(ordered);
  });
}

/** The tags in the order of their first rules. */
function tagsOf(rows: readonly CommunityRuleRow[]): string[] {
  return [...new Set(rows.map(({ role_id }) => role_id).filter(isTagRole))];
}

function describe(rows: readonly CommunityRuleRow[]): TagOrder {
  return {
    tags: tagsOf(rows).map((id) => ({
      roleId: id,
      tag: tagOfRole(id) ?? id,
      rules: rows.filter(({ role_id }) => role_id === id).length,
    })),
  };
}

async function getCommunity({ db }: Pick<Context, 'db'>, id: string): Promise<CommunityRow> {
  const community = await selectCommunity(db.system, id);
  if (community === undefined) throw notFound('community');
  return community;
}
