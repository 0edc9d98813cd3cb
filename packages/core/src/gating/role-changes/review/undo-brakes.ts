import type { Sql } from '@latchkey/db';
import { isFresh, principalId } from '@latchkey/kernel';
import type { Context } from '../../../shared/context.ts';
import { type ApprovalPolicy, quietUntil, readApprovalPolicy } from '../../approval-policies/index.ts';
import { madeAllRuleChanges } from '../../community-rules/index.ts';
import type { RoleAction } from '../planning/change-set.ts';
import { describeHeld, findHeld } from '../planning/make-change-set.ts';
import type { ChangeSetRow } from '../tables.ts';

/** How many roles an undo grants or removes, role by role. */
export interface UndoShare {
  roleId: string;
  action: RoleAction;
  members: number;
}

/** What the approval policy says about an undo. */
export interface UndoBrakes {
  /** Why another decision must approve it; undefined if it is applied at once. */
  heldBecause?: string;
  /** Whether it removes a role from so many members that the admin must have signed in recently. */
  needsPresence: boolean;
}

/** How long admins can take back their own decision, however many members it concerned. */
const ownMistakeSeconds = 60 * 60;

/**
 * Checks an undo against the approval policy, as a check of members is: it removes as many roles as the change set gave.
 * The one exception is a mistake that just happened: admins who changed the rule or took over themselves within the last hour can
 * take that back at once if they are present and the policy wants no second admin.
 */
export async function findUndoBrakes(
  ctx: Pick<Context, 'actor' | 'clock' | 'settings'>,
  db: Sql,
  changeSet: ChangeSetRow,
  shares: readonly UndoShare[],
  { isVouched }: { isVouched: boolean },
): Promise<UndoBrakes> {
  const policy = await readApprovalPolicy(ctx, db, changeSet.community_id);
  const removals = shares.filter(({ action }) => action === 'revoke');
  const needsPresence = removesMany(policy, removals);
  const losing = new Map(removals.map(({ roleId, members }) => [roleId, members]));
  const held = await findHeld(ctx, db, changeSet.community_id, losing, policy, { countsUndos: true });
  const waiting = shares.filter(({ action, roleId }) =>
    action === 'revoke' ? held.has(roleId) : policy.needsApprovalToGrant(roleId),
  );
  const quietEnd = removals.length === 0 ? undefined : quietUntil(policy.quietHours, ctx.clock());
  const reasons = [
    ...(waiting.length === 0 ? [] : [describeHeld(held, waiting, policy)]),
    ...(quietEnd === undefined
      ? []
      : [`Quiet hours: until ${quietEnd.toISOString()} roles are only removed with approval.`]),
  ];
  if (reasons.length === 0) return { needsPresence };
  const isPresent = isVouched || (ctx.actor.kind === 'user' && isFresh(ctx.actor.presence, ctx.clock()));
  // Someone who is not present yet is asked to sign in, rather than sent to another admin.
  if (policy.approvers === 1 && (await isOwnMistake(ctx, db, changeSet))) return { needsPresence: !isPresent };
  return { heldBecause: reasons.join(' '), needsPresence };
}

/** Whether these removals are so many that a stolen session must not be able to start them. */
export function removesMany(
  { limits, limitsOf }: Pick<ApprovalPolicy, 'limits' | 'limitsOf'>,
  removals: readonly Pick<UndoShare, 'roleId' | 'members'>[],
): boolean {
  const all = removals.reduce((sum, { members }) => sum + members, 0);
  if (all >= limits.count) return true;
  return removals.some(({ roleId, members }) => {
    const { count, perDay } = limitsOf(roleId);
    return members >= count || members > perDay;
  });
}

/** Whether the caller's own rule changes led to it, or it is the caller's takeover, and it was created just now. */
async function isOwnMistake(
  { actor, clock }: Pick<Context, 'actor' | 'clock'>,
  db: Sql,
  { community_id, cause, created_at, decided_by, rule_change_ids }: ChangeSetRow,
): Promise<boolean> {
  if (clock().getTime() - created_at.getTime() > ownMistakeSeconds * 1000) return false;
  if (cause === 'take-over') return decided_by === principalId(actor);
  return madeAllRuleChanges(db, community_id, rule_change_ids, principalId(actor));
}
