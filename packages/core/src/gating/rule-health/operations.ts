import { choice, op, type Page, pageOf, pageParams, record, T, text, type ValueOf } from '@latchkey/kernel';
import { communityAdmin, ownCommunity } from '../../communities/access/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { type HealthState, healthStates } from './problems.ts';
import { notChecked, type RuleHealthRow, selectRuleHealth } from './queries.ts';

const count = (description: string) => T.Number({ description, minimum: 0 });

const time = (description: string) => T.Optional(text(`${description}, in ISO 8601.`));

export const RuleHealth = record('RuleHealth', 'Whether a rule can be decided on this server.', {
  state: choice(
    'ok: it can be decided. degraded: something does not respond now, and members keep their roles. undecidable: it can never be decided with these settings. unknown: not checked yet, or could not be checked.',
    healthStates,
  ),
  problems: T.Array(
    record('RuleProblem', 'Something that keeps a rule from being decided.', {
      code: text('What kind of problem it is, for programs.'),
      message: text('What is wrong.', { maxLength: 4096 }),
      action: T.Optional(text('The setting or the action that would change it.', { maxLength: 4096 })),
    }),
    { description: 'Empty when the rule is ok.', maxItems: 10 },
  ),
  sinceTime: time('Since when it is in this state'),
  checkedTime: time('When it was last checked'),
  evaluatedTime: time('When it was last decided without anything missing'),
  blocks: T.Array(
    record('RuleBlock', 'A block that was read.', {
      chain: text('The chain, for example evm:1.'),
      number: text('The number of the block.'),
    }),
    { description: 'The blocks that were read then.', maxItems: 200 },
  ),
  reads: count('How many reads a check of one member takes at most, with one wallet on each chain.'),
  qualifying: T.Optional(
    count('How many members meet this rule. Absent while not counted, and for rules about roles.'),
  ),
  unknownMembers: T.Optional(count('How many members could not be evaluated. They keep their roles.')),
  unknownSinceTime: time('Since when there are such members'),
  countedMembers: T.Optional(count('How many members were counted.')),
  isCountWhole: T.Optional(
    T.Boolean({ description: 'Whether every member was counted; of very large communities only 10,000 are.' }),
  ),
  countedTime: time('When they were counted'),
});

export type RuleHealth = ValueOf<typeof RuleHealth>;

/** Converts a rule's health for the API; a rule without an entry is reported as not checked yet. */
export function toRuleHealth(row: RuleHealthRow | undefined): RuleHealth {
  if (row === undefined) return { state: 'unknown', problems: [notChecked], blocks: [], reads: 0 };
  const { state, problems, reads, blocks, qualifying, unknown_members, counted_members, is_count_whole } = row;
  return {
    state,
    problems: problems.map(({ code, message, action }) => ({ code, message, action })),
    sinceTime: row.since.toISOString(),
    checkedTime: row.checked_at?.toISOString(),
    evaluatedTime: row.evaluated_at?.toISOString(),
    blocks: Object.entries(blocks).map(([chain, number]) => ({ chain, number })),
    reads,
    qualifying: qualifying ?? undefined,
    unknownMembers: unknown_members ?? undefined,
    unknownSinceTime: row.unknown_since?.toISOString(),
    countedMembers: counted_members ?? undefined,
    isCountWhole: is_count_whole ?? undefined,
    countedTime: row.counted_at?.toISOString(),
  };
}

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

interface HealthRequest {
  communityId: string;
  state?: HealthState | undefined;
  isWanted?: (rule: { ruleId: string; roleId: string }) => boolean;
}

/** Returns the health of a community's rules, oldest rule first: all of them, or those in one state. */
export async function listRuleHealth(
  ctx: Context,
  { communityId, state, isWanted = () => true, ...request }: HealthRequest & PageRequest,
): Promise<Page<RuleHealthEntry>> {
  const community = await ownCommunity(ctx, communityId);
  // A community has at most 1,000 rules.
  const rows = await selectRules(ctx.db.system, community.id);
  const ids = rows.map(({ id }) => id);
  const health = await selectRuleHealth(ctx.db.system, community.id, ids);
  const found = rows.flatMap(({ id, role_id, definition, created_at }) => {
    const entry = { ruleId: id, name: nameIn(definition), roleId: role_id, health: toRuleHealth(health.get(id)) };
    return (state === undefined || entry.health.state === state) && isWanted(entry)
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
