import type { Sql, Tx } from '@latchkey/db';
import { notFound, owns } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type PlanLimits, planLimits } from '../../money/plans/index.ts';
import { organizationIdOf } from './organization.ts';
import { lockOrganization, type OrganizationRow, selectOrganization } from './queries.ts';

type Actor = Pick<Context, 'actor'>;

/** The caller's organization. `orgId` may be its id or its sk. Somebody else's does not exist for the caller. */
export function ownOrganization(ctx: Actor, tx: Tx, orgId: string): Promise<OrganizationRow> {
  return own(ctx, orgId, (id) => selectOrganization(tx, id));
}

/** The same, and nobody else can change the organization until the transaction ends. */
export function lockOwnOrganization(ctx: Actor, tx: Tx, orgId: string): Promise<OrganizationRow> {
  return own(ctx, orgId, (id) => lockOrganization(tx, id));
}

async function own(
  ctx: Actor,
  orgId: string,
  read: (id: string) => Promise<OrganizationRow | undefined>,
): Promise<OrganizationRow> {
  const id = organizationIdOf(orgId);
  const row = id === undefined ? undefined : await read(id);
  if (row === undefined || !owns(ctx.actor, row.created_by_id)) throw notFound('organization');
  return row;
}

/** Who owns an organization, for the access rule of operations that name one. Asked before any tenant is settled. */
export async function ownerOfOrganization(ctx: Pick<Context, 'db'>, orgId: string): Promise<string | undefined> {
  const id = organizationIdOf(orgId);
  const row = id === undefined ? undefined : await selectOrganization(ctx.db.system, id);
  return row?.created_by_id;
}

/** What an organization calls itself; undefined when there is none any more. */
export async function findOrganizationName(db: Sql, id: string): Promise<string | undefined> {
  return (await selectOrganization(db, id))?.name;
}

/** What the plan of an organization allows; the free plan's limits for what belongs to no organization. */
export async function planOfOrganization(
  ctx: Pick<Context, 'actor' | 'clock' | 'db'>,
  tx: Tx,
  orgId: string | undefined,
): Promise<PlanLimits> {
  const planId = orgId === undefined ? undefined : (await ownOrganization(ctx, tx, orgId)).plan_id;
  return planLimits(ctx, planId);
}
