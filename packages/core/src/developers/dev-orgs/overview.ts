import { principalId, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { planLimits } from '../../money/plans/index.ts';
import { selectOrganizationsOf } from './queries.ts';

export const OrganizationOverview = record('OrganizationOverview', 'An organization and what it can do.', {
  id: text('The id of the organization.', { maxLength: 64 }),
  name: text('What people call the organization.', { maxLength: 200 }),
  email: text('Where messages about the organization are sent.', { maxLength: 254 }),
  createdAt: text('When it was made, as an ISO 8601 time.', { maxLength: 32 }),
  isVerified: T.Boolean({ description: 'Whether its e-mail address is confirmed; until then it has no applications.' }),
  planName: text('The plan it is on.', { maxLength: 200 }),
  maxApps: T.Integer({
    description: 'How many client applications the plan allows.',
    format: 'int32',
    minimum: 0,
    maximum: 2_147_483_647,
  }),
  maxMiniApps: T.Integer({
    description: 'How many mini-apps the plan allows.',
    format: 'int32',
    minimum: 0,
    maximum: 2_147_483_647,
  }),
});
export type OrganizationOverview = ValueOf<typeof OrganizationOverview>;

export async function listOrganizationOverviews(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'tx'>,
): Promise<OrganizationOverview[]> {
  const rows = await ctx.tx((tx) => selectOrganizationsOf(tx, principalId(ctx.actor)));
  return Promise.all(
    rows.map(async (row) => {
      const plan = await planLimits(ctx, row.plan_id);
      return {
        id: row.id,
        name: row.name,
        email: row.email,
        createdAt: row.created_at.toISOString(),
        isVerified: row.verified_at !== null,
        planName: plan.name,
        maxApps: plan.maxApiKeys,
        maxMiniApps: plan.maxMiniApps,
      };
    }),
  );
}
