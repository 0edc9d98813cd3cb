import type { Sql, Tx } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { administersCommunity } from '../../communities/access/index.ts';
import { givePlan, starterPlanId, takePlan } from '../../communities/community-plans/index.ts';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { ownOrganization, setPlan } from '../../identity/organizations/index.ts';
import { freePlanId, getPlanForSale, type PlanForSale } from '../../services/subscription-plans/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';
import { lockSubscriber, type SubscriptionRow, selectActiveOf, selectRunning } from './queries.ts';

/** Returns the subscriber of a purchase: an organization of the caller, or a community that the caller administers. */
export async function ownSubscriber(ctx: Context, plan: PlanForSale, id: string): Promise<string> {
  if (plan.audience === 'organization') return ctx.tx(async (tx) => (await ownOrganization(ctx, tx, id)).id);
  const community = (await administersCommunity(ctx, id)) ? await selectCommunity(ctx.db.system, id) : undefined;
  if (community === undefined) throw new AppError('ENTITY_NOT_FOUND', 'Community not found.');
  return community.id;
}

/**
 * Lists the card subscriptions that this plan would replace: an organization is on one plan at a time, a community can
 * be on several. Oldest first.
 */
export async function runningOf(db: Sql, plan: PlanForSale, subscriberId: string): Promise<SubscriptionRow[]> {
  const running = await selectRunning(db, subscriberId);
  return running.filter(({ plan_id }) => plan.audience === 'organization' || plan_id === plan.id);
}

export async function findRunning(
  db: Sql,
  plan: PlanForSale,
  subscriberId: string,
): Promise<SubscriptionRow | undefined> {
  return (await runningOf(db, plan, subscriberId))[0];
}

/**
 * Grants a subscriber what is paid for and revokes what no longer is, in the transaction that changes the subscription.
 */
export async function updateRights(
  ctx: Context,
  tx: Tx,
  subscriberId: string,
  planIds: ReadonlySet<string>,
): Promise<void> {
  await lockSubscriber(tx, subscriberId);
  const active = await selectActiveOf(tx, subscriberId);
  const operator = contextFor(ctx, { kind: 'system', job: 'payments' }, tx);
  for (const planId of planIds) {
    try {
      await settlePlan(operator, tx, subscriberId, planId, active);
    } catch (error) {
      // The payer may have deleted the organization since then; the payment is in the ledger anyway.
      if (!(error instanceof AppError) || error.code !== 'ENTITY_NOT_FOUND') throw error;
      const gone = { subscriber: subscriberId, plan: planId };
      ctx.log.for('payments').warn('A payment is for a subscriber that no longer exists.', gone);
    }
  }
}

async function settlePlan(
  operator: Context,
  tx: Tx,
  subscriberId: string,
  planId: string,
  active: readonly SubscriptionRow[],
): Promise<void> {
  const { audience } = await getPlanForSale(operator, planId);
  if (audience === 'community') {
    if (active.some((row) => row.plan_id === planId)) await givePlan(operator, subscriberId, planId);
    else if (planId !== starterPlanId) await takePlan(operator, subscriberId, planId);
    return;
  }
  const { plan_id: current } = await ownOrganization(operator, tx, subscriberId);
  const paid = active[0]?.plan_id;
  // A plan that the operator granted stays, unless it is the one whose payment ended.
  if (paid !== undefined) await setPlan(operator, subscriberId, paid);
  else if (current === planId) await setPlan(operator, subscriberId, freePlanId);
}
