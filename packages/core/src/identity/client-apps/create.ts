import { enqueue, type Tx } from '@latchkey/db';
import { AppError, notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { ownOrganization, planOfOrganization, requireVerified } from '../organizations/index.ts';
import { checkFields, ownerGrantTypes } from './check-fields.ts';
import type { ClientApplication, ClientApplicationCreate } from './client-app.ts';
import { openTrial } from './jobs.ts';
import { countApps, lockCount } from './queries.ts';
import { register } from './register.ts';
import { actionOf } from './status.ts';

type CreateContext = Pick<Context, 'actor' | 'tx' | 'db' | 'clock' | 'random' | 'keyring' | 'settings'>;

/** Creates an application that waits for the operator's approval. Status and scopes in the body are ignored. */
export async function create(
  ctx: CreateContext,
  { body }: { body: ClientApplicationCreate },
): Promise<ClientApplication> {
  const fields = checkFields(withLogins(body), ownerGrantTypes);
  const ownerId = principalId(ctx.actor);
  const ownerName = ctx.actor.kind === 'user' || ctx.actor.kind === 'admin' ? ctx.actor.name : undefined;
  return ctx.tx(async (tx) => {
    const organizationId = await organizationOf(ctx, tx, body.pk);
    await requireRoom(ctx, tx, ownerId, organizationId);
    const app = await register(ctx, tx, {
      fields,
      ownerId,
      ownerName,
      organizationId,
      status: 'PENDING',
      allowedScopes: [],
      actions: [actionOf(ctx, 'create')],
    });
    if (app.id !== undefined && (ctx.settings.trialScopes ?? []).length > 0)
      await enqueue(tx, openTrial, { id: app.id });
    return app;
  });
}

/** Redirect URIs without grant types imply the usual login grants. */
function withLogins(body: ClientApplicationCreate): ClientApplicationCreate {
  const isMeant = (body.redirectUris ?? []).length > 0 && body.clientType !== 'apiKey';
  if (body.allowedGrantTypes !== undefined || !isMeant) return body;
  return { ...body, allowedGrantTypes: ['authorization_code', 'refresh_token'] };
}

/** Returns the verified organization in the request, if any. The caller's own id means none. */
async function organizationOf(ctx: CreateContext, tx: Tx, pk: string | undefined): Promise<string | undefined> {
  const ownerId = principalId(ctx.actor);
  if (pk === undefined || pk === ownerId) return undefined;
  const organization = await ownOrganization(ctx, tx, pk);
  // The operator sees every organization, but an application must belong to the same owner as its organization.
  if (organization.created_by_id !== ownerId) throw notFound('organization');
  requireVerified(organization);
  return organization.id;
}

// Locks before counting: of twenty concurrent requests, each sees what the previous one added.
async function requireRoom(
  ctx: CreateContext,
  tx: Tx,
  ownerId: string,
  organizationId: string | undefined,
): Promise<void> {
  await lockCount(tx, organizationId ?? ownerId);
  const { maxApiKeys, name } = await planOfOrganization(ctx, tx, organizationId);
  if ((await countApps(tx, ownerId, organizationId)) < maxApiKeys) return;
  throw new AppError(
    'PLAN_LIMIT_REACHED',
    `The plan ${name} allows ${maxApiKeys} client applications. Delete one, or upgrade your plan.`,
  );
}
