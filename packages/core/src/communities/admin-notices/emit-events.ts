import type { Tx } from '@latchkey/db';
import type { Context } from '../../context.ts';
import { emit, hasListeners } from '../../developers/webhooks/index.ts';
import type { Found, Over } from './find-queries.ts';

type EventContext = Pick<Context, 'clock' | 'random'>;

/** Tells the applications of the community's owner what was found. Of a held plan the plan itself tells, when it is made. */
export async function emitFound(ctx: EventContext, tx: Tx, found: Found): Promise<void> {
  const { community_id: communityId, owner_id: ownerId, about, details, grants, revokes } = found;
  const { advice, problems = [about] } = details;
  if (found.kind === 'blocked-role' && (await hasListeners(tx, ownerId, 'role.blocked')))
    await emit(ctx, tx, 'role.blocked', { ownerId, payload: { communityId, roleId: about, advice } });
  if (found.kind === 'broken-setup' && (await hasListeners(tx, ownerId, 'community.setup-broken')))
    await emit(ctx, tx, 'community.setup-broken', { ownerId, payload: { communityId, problems } });
  if (found.kind === 'large-change' && (await hasListeners(tx, ownerId, 'role-plan.large')))
    await emit(ctx, tx, 'role-plan.large', { ownerId, payload: { communityId, planId: about, grants, revokes } });
}

/** Tells them that it is over. An undo has its own plan, whose changes are told. */
export async function emitOver(ctx: EventContext, tx: Tx, over: Over): Promise<void> {
  const { community_id: communityId, owner_id: ownerId, about, details, status, decided_by: decidedBy } = over;
  const { problems = [about] } = details;
  if (over.kind === 'held-plan' && (await hasListeners(tx, ownerId, 'role-plan.decided')))
    await emit(ctx, tx, 'role-plan.decided', { ownerId, payload: { communityId, planId: about, status, decidedBy } });
  if (over.kind === 'blocked-role' && (await hasListeners(tx, ownerId, 'role.unblocked')))
    await emit(ctx, tx, 'role.unblocked', { ownerId, payload: { communityId, roleId: about } });
  if (over.kind === 'broken-setup' && (await hasListeners(tx, ownerId, 'community.setup-fixed')))
    await emit(ctx, tx, 'community.setup-fixed', { ownerId, payload: { communityId, problems } });
}
