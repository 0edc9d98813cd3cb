import type { Sql, Tx } from '@latchkey/db';
import type { CommunityRow } from '../../../communities/community-records/index.ts';
import { countHolders } from '../../../communities/memberships/index.ts';
import { appendEvents } from '../../../services/event-log/index.ts';
import type { Context } from '../../../shared/context.ts';
import { notifyAdminsSoon } from '../../../shared/find-notices.ts';
import { grouped } from '../../../shared/numbers.ts';
import { type ApprovalPolicy, quietUntil, readApprovalPolicy } from '../../approval-policies/index.ts';
import { gatingSettings } from '../../evaluation/index.ts';
import { keepDifferences, selectShadowOn } from '../shadow/queries.ts';
import type { ChangeSetRow, ItemState } from '../tables.ts';
import { type HeldRole, type RoleChange, rolesToHold } from './change-set.ts';
import { insertChangeSet, insertItems, selectLosses, selectUndoLosses } from './change-set-queries.ts';
import { type JoinableRole, joinHeld, selectJoinable } from './held-queries.ts';
import { pairKey, selectSuppressed } from './suppression-queries.ts';

export type ChangeSetContext = Pick<Context, 'clock' | 'random' | 'settings'>;

export interface NewChangeSet {
  community: CommunityRow;
  cause: string;
  changes: readonly RoleChange[];
  unknowns: number;
  isUrgent: boolean;
  /** Members whose suppressions have ended. */
  requested?: ReadonlySet<string>;
  /** Since when a check of its first member was due. */
  queuedAt?: Date | undefined;
  /** The rule changes that led to it. */
  ruleChangeIds?: readonly string[];
  /** Until then only the creator of the change set may write its changes. */
  reservedUntil?: Date;
}

/** A change set that results from checking members. */
export interface ReconciledChangeSet extends NewChangeSet {
  /** Every member who was checked, with or without changes. */
  reconciled: readonly string[];
}

/**
 * Creates change sets from changes, in a transaction that holds the community lock: harmless changes are approved at
 * once, and removals of one role from too many members become a separate change set that is held for approval.
 */
export async function makeChangeSets(
  ctx: ChangeSetContext,
  tx: Tx,
  changeSet: ReconciledChangeSet,
): Promise<ChangeSetRow[]> {
  const changes = await withoutSuppressed(tx, changeSet);
  // In shadow mode the differences are only recorded.
  if ((await selectShadowOn(tx, changeSet.community.id)) !== undefined) {
    await keepDifferences(tx, changeSet.community.id, changeSet.reconciled, changes, ctx.clock());
    return [];
  }
  const policy = await readApprovalPolicy(ctx, tx, changeSet.community.id);
  const held = await findHeldRoles(ctx, tx, changeSet.community.id, changes, policy);
  const open = await selectJoinable(tx, changeSet.community.id, changeSet.ruleChangeIds ?? [], {
    mayHold:
      held.size > 0 || changes.some(({ action, roleId }) => action === 'grant' && policy.needsApprovalToGrant(roleId)),
  });
  const isHeld = (change: RoleChange) =>
    followsHeldOne(open, changeSet, change) ||
    (change.action === 'revoke' ? held.has(change.roleId) : policy.needsApprovalToGrant(change.roleId));
  const { waiting = [], free = [] } = Object.groupBy(changes, (change) => (isHeld(change) ? 'waiting' : 'free'));
  const quietEnd = quietUntil(policy.quietHours, ctx.clock());
  const isPostponed = ({ action }: RoleChange) => quietEnd !== undefined && action === 'revoke';
  const { later = [], now = [] } = Object.groupBy(free, (change) => (isPostponed(change) ? 'later' : 'now'));
  const changeSets: ChangeSetRow[] = [];
  if (now.length > 0) changeSets.push(await putChangeSet(ctx, tx, { ...changeSet, changes: now }, 'approved'));
  if (later.length > 0 && quietEnd !== undefined) {
    const postponed = { ...changeSet, changes: later, reservedUntil: quietEnd };
    const note = `Quiet hours: these removals start at ${quietEnd.toISOString()}.`;
    changeSets.push(await putChangeSet(ctx, tx, postponed, 'approved', { note }));
  }
  const byTarget = Map.groupBy(waiting, (change) => open.find((one) => isOfSame(one, change))?.id);
  const fresh = byTarget.get(undefined) ?? [];
  for (const [id, joining] of byTarget)
    if (id !== undefined) await joinHeld(tx, id, joining, changeSet.ruleChangeIds ?? [], ctx.clock());
  if (fresh.length > 0) {
    const note = describeHeld(held, fresh, policy);
    const row = await putChangeSet(ctx, tx, { ...changeSet, changes: fresh }, 'held', { note });
    changeSets.push(row);
    await notifyOfHeld(ctx, tx, changeSet.community, row, [...new Set(fresh.map(({ roleId }) => roleId))]);
  }
  return changeSets;
}

function isOfSame(one: JoinableRole, { roleId, action }: RoleChange): boolean {
  return one.roleId === roleId && one.action === action;
}

/** Whether a change follows from the same edit of a rule as changes of its role that are held: it is decided with them. */
function followsHeldOne(
  open: readonly JoinableRole[],
  { ruleChangeIds = [] }: NewChangeSet,
  change: RoleChange,
): boolean {
  return open.some((one) => isOfSame(one, change) && one.ruleChangeIds.some((id) => ruleChangeIds.includes(id)));
}

// An undo that happened while these members were checked applies to the result as well.
async function withoutSuppressed(tx: Tx, { community, changes, requested }: NewChangeSet): Promise<RoleChange[]> {
  const suppressed = await selectSuppressed(tx, community.id, [...new Set(changes.map((change) => change.userId))]);
  return changes.filter((change) => requested?.has(change.userId) || !suppressed.has(pairKey(change)));
}

/** The roles that these changes would remove from so many members that an admin must approve. */
export async function findHeldRoles(
  ctx: ChangeSetContext,
  tx: Tx,
  communityId: string,
  changes: readonly RoleChange[],
  policy?: ApprovalPolicy,
): Promise<Map<string, HeldRole>> {
  const losing = countByRole(changes.filter(({ action }) => action === 'revoke'));
  return findHeld(ctx, tx, communityId, losing, policy ?? (await readApprovalPolicy(ctx, tx, communityId)));
}

function countByRole(changes: readonly RoleChange[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { roleId } of changes) counts.set(roleId, (counts.get(roleId) ?? 0) + 1);
  return counts;
}

/**
 * The same, by how many members lose each role. Removals that an admin decided do not count towards the limits, unless
 * `countsUndos`: then those of undos that were not approved separately do.
 */
export async function findHeld(
  ctx: Pick<Context, 'clock' | 'settings'>,
  db: Sql,
  communityId: string,
  losing: ReadonlyMap<string, number>,
  { limitsOf }: Pick<ApprovalPolicy, 'limitsOf'>,
  { countsUndos = false }: { countsUndos?: boolean } = {},
): Promise<Map<string, HeldRole>> {
  if (losing.size === 0) return new Map();
  const since = new Date(ctx.clock().getTime() - gatingSettings(ctx).brakeWindowSeconds * 1000);
  const automatic = await selectLosses(db, communityId, [...losing.keys()], since);
  const byUndos = countsUndos ? await selectUndoLosses(db, communityId, [...losing.keys()], since) : new Map();
  const losses = automatic.map((loss) => ({ ...loss, removed: loss.removed + (byUndos.get(loss.roleId) ?? 0) }));
  // Counting the holders of a role reads the whole community, so it is done only where the number matters.
  const many = losses.filter(({ roleId, ...before }) => {
    const removed = before.removed + before.losing + (losing.get(roleId) ?? 0);
    const { count, perDay } = limitsOf(roleId);
    return removed >= count || removed > perDay;
  });
  if (many.length === 0) return new Map();
  const roleIds = many.map(({ roleId }) => roleId);
  const holders = await countHolders(db, communityId, roleIds);
  const standings = many.map((loss) => ({ ...loss, holders: holders.get(loss.roleId) ?? 0 }));
  return rolesToHold(new Map([...losing].filter(([roleId]) => roleIds.includes(roleId))), standings, { limitsOf });
}

/** Why a change set is held, for each of its roles. */
export function describeHeld(
  held: ReadonlyMap<string, HeldRole>,
  waiting: readonly Pick<RoleChange, 'action' | 'roleId'>[],
  policy: ApprovalPolicy,
): string {
  const removals = [...held].map(([roleId, { removed, holders, exceeds }]) => {
    const limit =
      exceeds === 'per-day' ? ` More than ${grouped(policy.limitsOf(roleId).perDay)} a day need approval.` : '';
    return `${grouped(removed)} of ${grouped(holders)} members with the role ${roleId} would lose it within 24 hours.${limit}`;
  });
  const granted = new Set(waiting.filter(({ action }) => action === 'grant').map(({ roleId }) => roleId));
  const grants = [...granted].map((roleId) => `Granting the role ${roleId} needs approval.`);
  return [...removals, ...grants].join(' ');
}

const stateOf = { approved: 'pending', done: 'confirmed', held: 'planned', previewed: 'planned' } satisfies Partial<
  Record<ChangeSetRow['status'], ItemState>
>;

/** Stores one change set and its items. */
export async function putChangeSet(
  ctx: Pick<Context, 'clock' | 'random'>,
  tx: Tx,
  { community, cause, changes, unknowns, isUrgent, reservedUntil, queuedAt, ruleChangeIds = [] }: NewChangeSet,
  status: 'approved' | 'done' | 'held' | 'previewed',
  extra: Partial<Pick<ChangeSetRow, 'note' | 'undoes' | 'decided_by' | 'decided_at' | 'finished_at'>> = {},
): Promise<ChangeSetRow> {
  const grants = changes.filter((change) => change.action === 'grant').length;
  const row: ChangeSetRow = {
    id: ctx.random.id(),
    community_id: community.id,
    cause,
    status,
    note: null,
    undoes: null,
    is_urgent: isUrgent,
    grants,
    revokes: changes.length - grants,
    calls: new Set(changes.map((change) => change.userId)).size,
    unknowns,
    decided_by: null,
    decided_at: null,
    created_at: ctx.clock(),
    finished_at: null,
    queued_at: queuedAt ?? null,
    written_grants: 0,
    written_revokes: 0,
    written_members: 0,
    rule_change_ids: [...ruleChangeIds],
    restored_rule_change_ids: [],
    large_notice: 'undecided',
    refreshed_at: null,
    ...extra,
  };
  const state = stateOf[status];
  await insertChangeSet(tx, row);
  await insertItems(tx, row, state, changes, reservedUntil);
  return row;
}

/** Tells admins and programs about a change set that waits for approval. */
export async function notifyOfHeld(
  ctx: ChangeSetContext,
  tx: Tx,
  community: CommunityRow,
  changeSet: ChangeSetRow,
  roleIds: readonly string[],
): Promise<void> {
  await notifyAdminsSoon(tx);
  const data = { changeSetId: changeSet.id, roleIds: [...roleIds], revokes: changeSet.revokes };
  await appendEvents(ctx, tx, 'change-set.held', [{ community, data }]);
}
