import { OpenObject, op, record, T, text, type ValueOf } from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin, ownCommunity } from '../../communities/access/index.ts';
import { lockOwnCommunity } from '../../communities/community-records/index.ts';
import { refuseLocked } from '../../communities/managed-rules/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { refuse } from '../../shared/refuse.ts';
import { compositionOf, readRule } from '../rules/index.ts';
import { refuseBroken } from './check-assertions.ts';
import { type AssertionRow, replaceAssertions, selectAssertions } from './queries.ts';

export const mostAssertions = 20;
const roleId = (description: string) => text(description, { minLength: 1, maxLength: 100, pattern: '^[-\\w.:@]+$' });

export const RuleAssertion = record(
  'RuleAssertion',
  'Something that must stay true of a community’s rules: no member gets a role without what it requires.',
  {
    name: T.Optional(text('What admins call it.', { minLength: 1, maxLength: 200 })),
    never: T.Object(
      {
        role: roleId('The id of the role that the rules must not give.'),
        unless: T.Object(
          {
            holds: T.Optional(
              T.Unsafe<Record<string, unknown>>({
                ...OpenObject,
                description: 'The condition that members with the role must meet, written as a rule without a role.',
              }),
            ),
            role: T.Optional(roleId('The id of the role that they must have, by the rules or otherwise.')),
          },
          { description: 'Either holds or role.' },
        ),
      },
      { description: 'What must never happen.' },
    ),
  },
);
export type RuleAssertion = ValueOf<typeof RuleAssertion>;

const assertions = T.Array(RuleAssertion, {
  description: 'All assertions of the community.',
  maxItems: mostAssertions,
});

const RuleAssertionList = record('RuleAssertionList', 'The assertions of a community.', { assertions });
const RuleAssertionsToSet = record('RuleAssertionsToSet', 'The assertions that a community should have.', {
  assertions,
});

export const ruleAssertionOperations = [
  op(
    'GET /latchkey/communities/{communityId}/rule-assertions',
    {
      id: 'listRuleAssertions',
      summary: 'List assertions about rules',
      description:
        'Returns what must stay true of a community’s rules. `GET /latchkey/communities/{communityId}/rule-analysis` shows whether it is. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: RuleAssertionList,
    },
    listRuleAssertions,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/rule-assertions',
    {
      id: 'setRuleAssertions',
      summary: 'Set assertions about rules',
      description: `Replaces what must stay true of a community’s rules, at most ${mostAssertions} assertions. From then on, saving, deleting, importing or restoring a rule fails with VALIDATION_FAILED if an assertion could no longer be proven; the message names a member who would break it. Fails the same way if the present rules do. Guest passes are not covered. For community admins.`,
      audit: 'rule-assertions.change',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId: communityParam },
      body: RuleAssertionsToSet,
      returns: RuleAssertionList,
      errors: ['STATE_CONFLICT', 'VALIDATION_FAILED'],
    },
    setRuleAssertions,
  ),
] as const;

type List = ValueOf<typeof RuleAssertionList>;

export async function listRuleAssertions(ctx: Context, { communityId }: { communityId: string }): Promise<List> {
  const { id } = await ownCommunity(ctx, communityId);
  return { assertions: (await selectAssertions(ctx.db.system, id)).map(toAssertion) };
}

export async function setRuleAssertions(
  ctx: Pick<Context, 'tx'>,
  { communityId, body }: { communityId: string; body: ValueOf<typeof RuleAssertionsToSet> },
): Promise<List> {
  const rows = toRows(body.assertions);
  return ctx.tx(async (tx) => {
    const { id } = await lockOwnCommunity(tx, communityId);
    await refuseLocked(tx, id);
    const own = rows.map((row) => ({ ...row, community_id: id }));
    await replaceAssertions(tx, id, own);
    await refuseBroken(tx, id);
    return { assertions: own.map(toAssertion) };
  });
}

/** Assertions as they are stored. Throws VALIDATION_FAILED for those that say nothing. */
export function toRows(assertions: readonly RuleAssertion[]): Omit<AssertionRow, 'community_id'>[] {
  return assertions.map((assertion, position) => toRow(assertion, position));
}

function toRow({ name, never }: RuleAssertion, position: number): Omit<AssertionRow, 'community_id'> {
  const { role, unless } = never;
  const path = `/assertions/${position}/never/unless`;
  if ((unless.holds === undefined) === (unless.role === undefined))
    throw refuse(path, 'must have either holds or role');
  if (unless.role === role) throw refuse(`${path}/role`, 'must be another role');
  if (unless.holds !== undefined && compositionOf(readRule(unless.holds, `${path}/holds`)) !== undefined)
    throw refuse(`${path}/holds`, 'must be about wallets. Use role for a role');
  return {
    position,
    name: name ?? null,
    role_id: role,
    unless_role_id: unless.role ?? null,
    unless_holds: unless.holds ?? null,
  };
}

/** As the API shows an assertion. */
export function toAssertion(row: Omit<AssertionRow, 'community_id' | 'position'>): RuleAssertion {
  const { name, role_id: role, unless_role_id: other, unless_holds: holds } = row;
  return {
    ...(name !== null && { name }),
    never: { role, unless: other === null ? { holds: holds ?? {} } : { role: other } },
  };
}
