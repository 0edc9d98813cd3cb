import { sql } from '@latchkey/db';
import { choice, op, record, T, text, type ValueOf } from '@latchkey/kernel';
import { communityAdmin } from '../../../communities/access/index.ts';
import { readPlatformRoles } from '../../../communities/community/index.ts';
import { selectRules } from '../../../communities/rule-records/index.ts';
import { communityParam } from '../../../shared/community-id.ts';
import type { Context } from '../../../shared/context.ts';
import { createReasonGroups } from '../../evaluation/index.ts';
import { nameReasons } from '../../naming/index.ts';
import { changeSetId } from '../api/params.ts';
import type { ChangeSetItemRow, ChangeSetRow } from '../tables.ts';
import { ownChangeSetOf } from './reads.ts';

const mostChanges = 10_000;
const batchSize = 1_000;
const mostGroups = 20;

const count = (description: string) => T.Number({ description, minimum: 0 });

const ChangeSetReasons = record('ChangeSetReasons', 'Why a change set changes roles, grouped by role and reason.', {
  changeSetId: text('The change set.'),
  changes: count('How many changes were grouped: those that were not dropped, up to 10,000.'),
  isWhole: T.Boolean({ description: 'Whether all of its changes were grouped.' }),
  groups: T.Array(
    record('ReasonGroup', 'Changes of one role that have the same reason.', {
      roleId: text('The id of the role on the platform.'),
      roleName: T.Optional(text('The role’s current name; absent if the platform does not provide it.')),
      action: choice('Whether the role is given or taken.', ['grant', 'revoke'] as const),
      members: count('How many members.'),
      why: text('The reason in words, for example: needs at least 1,000,000 COIN.', { maxLength: 20_000 }),
      conditions: T.Array(
        record('UnmetCondition', 'A condition that members who lose the role do not meet.', {
          need: text('What it needs.', { maxLength: 4096 }),
          found: T.Array(text('A sentence.', { maxLength: 4096 }), {
            description:
              'What the members have, for example: 25 members hold 120–9,400 COIN; 1,000,000 needed. Amounts are rounded to two digits and shown for 5 members or more, because an exact balance reveals a wallet.',
            maxItems: 3,
          }),
        }),
        { description: 'The unmet conditions, the first 10.', maxItems: 1000 },
      ),
    }),
    { description: `The largest groups first, up to ${mostGroups}.`, maxItems: mostGroups },
  ),
  otherGroups: count('How many smaller groups are not listed.'),
});
type ChangeSetReasons = ValueOf<typeof ChangeSetReasons>;

export const reasonOperations = [
  op(
    'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}/reasons',
    {
      id: 'summarizeReasons',
      summary: 'Summarize the reasons of a change set',
      description:
        'Returns why a change set gives and takes roles, with the members of the same role and reason as one group: what is needed, and what those who lose the role have. From what was read when the changes were planned. For community admins.',
      access: communityAdmin('communityId', 'role-manager'),
      params: { communityId: communityParam, changeSetId },
      returns: ChangeSetReasons,
    },
    summarizeReasons,
  ),
] as const;

export async function summarizeReasons(
  ctx: Context,
  named: { communityId: string; changeSetId: string },
): Promise<ChangeSetReasons> {
  const { changeSet, community } = await ownChangeSetOf(ctx, named.communityId, named.changeSetId);
  const [roles, rules] = await Promise.all([
    readPlatformRoles(ctx, community),
    selectRules(ctx.db.system, community.id),
  ]);
  const groups = createReasonGroups(await nameReasons(ctx, { roles, rules }));
  let [changes, isWhole] = [0, false];
  for (let after: readonly [string, string] = ['', '']; changes < mostChanges; ) {
    const batch = await selectReasons(ctx, changeSet, after);
    for (const { role_id, action, reason } of batch) groups.add({ roleId: role_id, action, reason });
    changes += batch.length;
    const last = batch.at(-1);
    isWhole = batch.length < batchSize;
    if (isWhole || last === undefined) break;
    after = [last.user_id, last.role_id];
  }
  const all = groups.list();
  return {
    changeSetId: changeSet.id,
    changes,
    isWhole,
    groups: all.slice(0, mostGroups).map((group) => ({ ...group, roleName: roles.get(group.roleId)?.name })),
    otherGroups: Math.max(0, all.length - mostGroups),
  };
}

/** Of a change set of which nothing was or will be written, what was planned is shown. */
async function selectReasons(
  { db }: Pick<Context, 'db'>,
  { id, status }: ChangeSetRow,
  [userId, roleId]: readonly [string, string],
) {
  const withDropped = status === 'rejected' || status === 'dropped';
  const { rows } = await sql<Pick<ChangeSetItemRow, 'user_id' | 'role_id' | 'action' | 'reason'>>`
    select user_id, role_id, action, reason from change_set_items
    where change_set_id = ${id} and (user_id, role_id) > (${userId}, ${roleId}) and (state <> 'dropped' or ${withDropped})
    order by user_id, role_id limit ${batchSize}`.execute(db.system);
  return rows;
}
