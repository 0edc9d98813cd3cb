import type { Context } from '../../context.ts';
import type { OauthClient } from '../client-apps/index.ts';
import { findOrganizationName } from '../dev-orgs/index.ts';
import { findAccount } from './account.ts';

/** Who made an application, as people are told: an organization, or else the person. Undefined where neither has a name. */
export async function findMaker(
  ctx: Pick<Context, 'db'>,
  { organizationId, ownerId }: Pick<OauthClient, 'organizationId' | 'ownerId'>,
): Promise<string | undefined> {
  if (organizationId !== undefined) return findOrganizationName(ctx.db.system, organizationId);
  return (await findAccount(ctx, ownerId))?.name;
}
