import type { Tx } from '@latchkey/db';
import type { CommunityRow } from '../../communities/community/index.ts';
import { countHolders } from '../../communities/members/index.ts';
import { emit, hasListeners } from '../../services/webhooks/index.ts';
import type { Context } from '../../shared/context.ts';
import { gatingSettings } from '../evaluation/index.ts';
import { pairKey, selectPaused } from './pause-queries.ts';
import { type RoleChange, rolesToHold } from './plan.ts';
import { insertItems, insertPlan, selectLosses } from './plan-queries.ts';
import { keepDifferences, selectShadowOn } from './shadow/queries.ts';
import type { ItemState, RolePlanRow } from './tables.ts';
import { tellAdminsSoon } from './tell-admins.ts';

export type PlanContext = Pick<Context, 'clock' | 'random' | 'settings'>;

export interface NewPlan {
  community: CommunityRow;
  cause: string;
  changes: readonly RoleChange[];
  unknowns: number;
  isUrgent: boolean;
  /** Members whose pauses have ended. */
  asked?: ReadonlySet<string>;
  /** Since when the first of its members was to be checked. */
  touchedAt?: Date | undefined;
  /** Until then its changes are left to whoever made the plan. */
  reservedUntil?: Date;
}

/** A plan that a look at members came to. */
export interface LookedPlan extends NewPlan {
  /** Everybody who was looked at, with or without changes. */
  looked: readonly string[];
}

/**
 * Turns changes into plans, in a transaction that holds the community: what is harmless is approved at once, and removals
 * that are too many of one role at a time become a plan of their own that waits for an admin.
 */
export async function makePlans(ctx: PlanContext, tx: Tx, plan: LookedPlan): Promise<RolePlanRow[]> {
  const changes = await withoutPaused(tx, plan);
  // Beside another bot the rules only say what they would do.
  if ((await selectShadowOn(tx, plan.community.id)) !== undefined) {
    await keepDifferences(tx, plan.community.id, plan.looked, changes, ctx.clock());
    return [];
  }
  const held = await findHeldRoles(ctx, tx, plan.community.id, changes);
  const isHeld = ({ action, roleId }: RoleChange) => action === 'revoke' && held.has(roleId);
  const free = changes.filter((change) => !isHeld(change));
  const waiting = changes.filter(isHeld);
  const plans: RolePlanRow[] = [];
  if (free.length > 0) plans.push(await putPlan(ctx, tx, { ...plan, changes: free }, 'approved'));
  if (waiting.length > 0) {
    const note = [...held].map(([roleId, { removed, holders }]) => describe(roleId, removed, holders)).join(' ');
    const row = await putPlan(ctx, tx, { ...plan, changes: waiting }, 'held', { note });
    plans.push(row);
    await tellHeld(ctx, tx, plan.community, row, [...held.keys()]);
  }
  return plans;
}

// An undo that came while members were looked at counts for what the look found.
async function withoutPaused(tx: Tx, { community, changes, asked }: NewPlan): Promise<RoleChange[]> {
  const paused = await selectPaused(tx, community.id, [...new Set(changes.map((change) => change.userId))]);
  return changes.filter((change) => asked?.has(change.userId) || !paused.has(pairKey(change)));
}

/** The roles of which these changes would take so many that an admin is asked first. */
export async function findHeldRoles(ctx: PlanContext, tx: Tx, communityId: string, changes: readonly RoleChange[]) {
  const losing = changes.filter((change) => change.action === 'revoke').map((change) => change.roleId);
  if (losing.length === 0) return new Map<string, { removed: number; holders: number }>();
  const settings = gatingSettings(ctx);
  const since = new Date(ctx.clock().getTime() - settings.brakeWindowSeconds * 1000);
  const losses = await selectLosses(tx, communityId, [...new Set(losing)], since);
  // Counting the holders of a role reads the whole community, so it is done only where their number decides.
  const many = losses.filter(({ roleId, ...before }) => {
    const now = losing.filter((id) => id === roleId).length;
    return before.removed + before.losing + now >= settings.heldRemovalCount;
  });
  if (many.length === 0) return new Map<string, { removed: number; holders: number }>();
  const roleIds = many.map(({ roleId }) => roleId);
  const holders = await countHolders(tx, communityId, roleIds);
  const standings = many.map((loss) => ({ ...loss, holders: holders.get(loss.roleId) ?? 0 }));
  return rolesToHold(
    changes.filter(({ roleId }) => roleIds.includes(roleId)),
    standings,
    settings,
  );
}

function describe(roleId: string, removed: number, holders: number): string {
  return `${removed} of ${holders} members with the role ${roleId} would have lost it within 24 hours.`;
}

/** Writes one plan and its items. */
export async function putPlan(
  ctx: Pick<Context, 'clock' | 'random'>,
  tx: Tx,
  { community, cause, changes, unknowns, isUrgent, reservedUntil, touchedAt }: NewPlan,
  status: 'approved' | 'held' | 'previewed',
  extra: Partial<Pick<RolePlanRow, 'note' | 'undoes' | 'decided_by' | 'decided_at'>> = {},
): Promise<RolePlanRow> {
  const grants = changes.filter((change) => change.action === 'grant').length;
  const row: RolePlanRow = {
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
    touched_at: touchedAt ?? null,
    ...extra,
  };
  const state: ItemState = status === 'approved' ? 'pending' : 'planned';
  await insertPlan(tx, row);
  await insertItems(tx, row, state, changes, reservedUntil);
  return row;
}

async function tellHeld(
  ctx: PlanContext,
  tx: Tx,
  { id, owner_id }: CommunityRow,
  plan: RolePlanRow,
  roleIds: readonly string[],
): Promise<void> {
  await tellAdminsSoon(tx);
  if (!(await hasListeners(tx, owner_id, 'role-plan.held'))) return;
  const payload = { communityId: id, planId: plan.id, roleIds, revokes: plan.revokes };
  await emit(ctx, tx, 'role-plan.held', { ownerId: owner_id, payload });
}
