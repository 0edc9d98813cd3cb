import { AppError, platformsThatCan, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { ownOrganization, planOfOrganization, requireVerified } from '../../developers/dev-orgs/index.ts';
import { actionOf, toRecord } from './change.ts';
import { checkAddress, checkBase, wrong } from './check-addresses.ts';
import { newKeys } from './keys.ts';
import type { MiniAppRegistration, MiniAppRegistrationCreate } from './mini-app.ts';
import { countMiniApps, insertMiniApp, type MiniAppRow } from './queries.ts';

/** Registers a mini-app, which then waits for the operator. */
export async function createMiniApp(
  ctx: Context,
  { body }: { body: MiniAppRegistrationCreate },
): Promise<MiniAppRegistration> {
  const { name, description, icon, feedback, url, platforms = platformsThatCan('miniApps'), metadata = {} } = body;
  if (body.pk === undefined) throw wrong('/pk', 'must name an organization of yours');
  if (icon !== undefined) checkAddress('/icon', icon);
  if (url !== undefined) checkBase('/url', url);
  const pk = body.pk;
  return ctx.tx(async (tx) => {
    const organization = await ownOrganization(ctx, tx, pk);
    requireVerified(organization);
    const plan = await planOfOrganization(ctx, tx, organization.id);
    if ((await countMiniApps(tx, organization.id)) >= plan.maxMiniApps)
      throw new AppError(
        'PLAN_LIMIT_REACHED',
        `The plan ${plan.name} allows ${plan.maxMiniApps} mini-apps. Delete one, or take a larger plan.`,
      );
    const id = ctx.random.id();
    const { publicKey, privateKey, sealed } = newKeys(ctx, id);
    const row: MiniAppRow = {
      id,
      organization_id: organization.id,
      created_by_id: principalId(ctx.actor),
      name,
      description,
      icon: icon ?? null,
      feedback: feedback ?? null,
      url: url?.replace(/\/+$/, '') ?? null,
      platforms,
      metadata,
      status: 'PENDING',
      actions: [actionOf(ctx, 'create')],
      public_key: publicKey,
      private_key: sealed,
      profile: null,
      probed_at: null,
      signature: null,
      tried_at: null,
      created_at: ctx.clock(),
    };
    await insertMiniApp(tx, row);
    return toRecord(row, privateKey);
  });
}
