import { notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { getPlan, listOfferedPlans, type SubscriptionPlan } from '../../money/plans/index.ts';
import { describeHolder } from '../../money/treasuries/index.ts';
import { type Organization, toOrganization } from './organization.ts';
import { ownOrganization } from './own-organization.ts';
import { selectOrganizationsOf } from './queries.ts';
import { type OrganizationWallet, toWallet } from './wallet.ts';
import { selectWallet } from './wallet-queries.ts';

type ReadContext = Pick<Context, 'actor' | 'tx'>;

export function getDevOrgPlans(ctx: Pick<Context, 'clock' | 'db'>): Promise<SubscriptionPlan[]> {
  return listOfferedPlans(ctx, 'organization');
}

export function getDevOrgPlan(ctx: Pick<Context, 'db'>, { planId }: { planId: string }): Promise<SubscriptionPlan> {
  return getPlan(ctx, 'organization', planId);
}

export async function getOrganizations(ctx: ReadContext): Promise<Organization[]> {
  const rows = await ctx.tx((tx) => selectOrganizationsOf(tx, principalId(ctx.actor)));
  return rows.map(toOrganization);
}

export async function getOrganization(ctx: ReadContext, { orgId }: { orgId: string }): Promise<Organization> {
  return toOrganization(await ctx.tx((tx) => ownOrganization(ctx, tx, orgId)));
}

export async function getOrganizationWallet(
  ctx: ReadContext & Pick<Context, 'db' | 'safes'>,
  { orgId }: { orgId: string },
): Promise<OrganizationWallet> {
  const wallet = await ctx.tx(async (tx) => selectWallet(tx, (await ownOrganization(ctx, tx, orgId)).id));
  if (wallet === undefined) throw notFound('wallet');
  return toWallet(wallet, await describeHolder(ctx, { kind: 'organization', id: wallet.organization_id }));
}
