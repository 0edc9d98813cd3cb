import type { Tx } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import {
  administersCommunity,
  givePlan,
  selectCommunity,
  starterPlanId,
  takePlan,
} from '../../communities/communities/index.ts';
import { type Context, contextFor } from '../../context.ts';
import { ownOrganization, setPlan } from '../../developers/dev-orgs/index.ts';
import { freePlanId, getPlanForSale, type PlanForSale } from '../plans/index.ts';
import { lockSubscriber, type SubscriptionRow, selectActiveOf } from './queries.ts';

/** Who a plan is bought for: an organization of the caller, or a community that the caller looks after. */
export async function ownSubscriber(ctx: Context, plan: PlanForSale, id: string): Promise<string> {
  if (plan.audience === 'organization') return ctx.tx(async (tx) => (await ownOrganization(ctx, tx, id)).id);
  const community = (await administersCommunity(ctx, id)) ? await selectCommunity(ctx.db.system, id) : undefined;
  if (community === undefined) throw new AppError('ENTITY_NOT_FOUND', 'There is no such community.');
  return community.id;
}

/** Gives a subscriber what is paid for and takes what no longer is, together with the change of the subscription. */
export async function settleRights(ctx: Context, tx: Tx, changed: SubscriptionRow): Promise<void> {
  const { subscriber_id: id, plan_id: planId } = changed;
  await lockSubscriber(tx, id);
  const active = await selectActiveOf(tx, id);
  const operator = contextFor(ctx, { kind: 'system', job: 'payments' }, tx);
  const { audience } = await getPlanForSale(ctx, planId);
  try {
    if (audience === 'community') {
      if (active.some((row) => row.plan_id === planId)) await givePlan(operator, id, planId);
      else if (planId !== starterPlanId) await takePlan(operator, id, planId);
      return;
    }
    const { plan_id: current } = await ownOrganization(operator, tx, id);
    const paid = active[0]?.plan_id;
    // A plan that the operator gave stays, unless it is the one whose payment ended.
    if (paid !== undefined) await setPlan(operator, id, paid);
    else if (current === planId) await setPlan(operator, id, freePlanId);
  } catch (error) {
    // Whoever paid may have deleted the organization since; the money is in the ledger all the same.
    if (!(error instanceof AppError) || error.code !== 'ENTITY_NOT_FOUND') throw error;
    ctx.log.for('payments').warn('A payment is for a subscriber that is gone.', { subscriber: id, plan: planId });
  }
}
