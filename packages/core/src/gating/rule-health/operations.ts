import { choice, op, type Page, pageOf, pageParams, record, T, text, type ValueOf } from '@latchkey/kernel';
import { communityAdmin, ownCommunity } from '../../communities/access/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { type HealthState, healthStates } from './problems.ts';
import { selectRuleHealth } from './queries.ts';
import { RuleHealth, toRuleHealth } from './shapes.ts';

const RuleHealthEntry = record('RuleHealthEntry', 'The health of one rule.', {
  ruleId: text('The id of the rule within the community.'),
  name: T.Optional(text('The name of the rule.')),
  roleId: text('The id of the role on the platform.'),
  health: RuleHealth,
});
type RuleHealthEntry = ValueOf<typeof RuleHealthEntry>;

export const ruleHealthOperations = [
  op(
    'GET /latchkey/communities/{communityId}/rule-health',
    {
      id: 'listRuleHealth',
      summary: 'List the health of rules',
      description:
        'Returns for each rule of a community, oldest first, whether it can be decided on this server: what is wrong and which setting would change it, since when, when it was last decided and at which blocks, how many members meet it, and how many could not be evaluated. Uses stored results, which are at most about half an hour old. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: {
        communityId: communityParam,
        state: T.Optional(choice('Only rules in this state.', healthStates)),
        ...pageParams,
      },
      returns: pageOf(RuleHealthEntry, 'RuleHealthPage'),
      paginated: 'token',
    },
    listRuleHealth,
  ),
] as const;

/** Returns the health of a community's rules, oldest rule first: all of them, or those in one state. */
export async function listRuleHealth(
  ctx: Context,
  { communityId, state, ...request }: { communityId: string; state?: HealthState | undefined } & PageRequest,
): Promise<Page<RuleHealthEntry>> {
  const community = await ownCommunity(ctx, communityId);
  // A community has at most 1,000 rules.
  const rows = await selectRules(ctx.db.system, community.id);
  const ids = rows.map(({ id }) => id);
  const health = await selectRuleHealth(ctx.db.system, community.id, ids);
  const found = rows.flatMap(({ id, role_id, definition, created_at }) => {
    const entry = { ruleId: id, name: nameIn(definition), roleId: role_id, health: toRuleHealth(health.get(id)) };
    return state === undefined || entry.health.state === state
      ? [{ entry, createdTime: created_at.toISOString() }]
      : [];
  });
  const keyOf = ({ entry, createdTime }: (typeof found)[number]) => [createdTime, entry.ruleId] as const;
  const ordered = found.toSorted((one, other) => (isAfter(keyOf(one), keyOf(other)) ? 1 : -1));
  const page = await paginate(ctx, request, {
    list: `rule-health:${community.id}:${state ?? ''}`,
    read: async (after, limit) => {
      const [time = '', id = ''] = after ?? [];
      return ordered.filter((one) => isAfter(keyOf(one), [time, id])).slice(0, limit);
    },
    cursorOf: keyOf,
  });
  return { ...page, items: page.items.map(({ entry }) => entry) };
}

function isAfter([time, id]: readonly [string, string], [lastTime, lastId]: readonly [string, string]): boolean {
  return time > lastTime || (time === lastTime && id > lastId);
}

function nameIn({ name }: Record<string, unknown>): string | undefined {
  return typeof name === 'string' && name !== '' ? name : undefined;
}
