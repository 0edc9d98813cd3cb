import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '@latchkey/db';
import type { Context } from '../../context.ts';
import { nameInAudit } from '../../machinery/audit/index.ts';
import { insertRuleChange, type RuleState } from './rule-change-queries.ts';
import type { CommunityRuleRow } from './rule-queries.ts';

type Kept = Pick<CommunityRuleRow, 'id' | 'community_id' | 'role_id' | 'definition' | 'visibility'>;

/** Keeps what a rule was and is, in the transaction of the change. A rule that is written as it was changes nothing. */
export async function recordRuleChange(
  ctx: Pick<Context, 'actor' | 'clock'>,
  tx: Tx,
  { before, after }: { before?: Kept; after?: Kept },
): Promise<void> {
  const rule = after ?? before;
  const [former, present] = [before && stateOf(before), after && stateOf(after)];
  if (rule === undefined || isDeepStrictEqual(former, present)) return;
  await insertRuleChange(tx, {
    community_id: rule.community_id,
    rule_id: rule.id,
    action: former === undefined ? 'created' : present === undefined ? 'removed' : 'changed',
    changed_by: nameInAudit(ctx.actor),
    changed_at: ctx.clock(),
    before: former ?? null,
    after: present ?? null,
  });
}

function stateOf({ role_id, definition, visibility }: Kept): RuleState {
  return { roleId: role_id, definition, visibility };
}
