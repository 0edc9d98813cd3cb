import type { Sql } from '@latchkey/db';
import type { Context } from '../../shared/context.ts';
import { gatingSettings } from '../evaluation/index.ts';
import { type ApprovalPolicy, type RemovalLimits, toPolicy } from './policy.ts';
import { selectPolicy, selectRolePolicies } from './queries.ts';

/** The operator's default limits. */
export function defaultLimits(ctx: Pick<Context, 'settings'>): RemovalLimits {
  const { heldRemovalShare, heldRemovalCount, heldRemovalsPerDay } = gatingSettings(ctx);
  return { share: heldRemovalShare, count: heldRemovalCount, perDay: heldRemovalsPerDay };
}

/** Returns what needs approval in a community. */
export async function readApprovalPolicy(
  ctx: Pick<Context, 'settings'>,
  db: Sql,
  communityId: string,
): Promise<ApprovalPolicy> {
  return toPolicy(defaultLimits(ctx), await selectPolicy(db, communityId), await selectRolePolicies(db, communityId));
}
