import { enqueue } from '@latchkey/db';
import type { Context } from '../../context.ts';
import { ownOrganization } from '../../developers/dev-orgs/index.ts';
import { type ChangeContext, change, getForUpdate, miniAppIdOf, toRecord } from './change.ts';
import { newKeys } from './keys.ts';
import type { MiniAppRegistration } from './mini-app.ts';
import { deleteMiniAppRow, selectMiniApp, selectMiniAppsOf } from './queries.ts';
import { withdrawApp } from './sync-jobs.ts';

/** Who registered a mini-app, for the access rule of operations that name one. */
export async function ownerOfMiniApp(ctx: Pick<Context, 'db'>, id: string): Promise<string | undefined> {
  return (await selectMiniApp(ctx.db.system, miniAppIdOf(id)))?.created_by_id;
}

export async function getMiniApps(
  ctx: Context,
  { organizationId }: { organizationId: string },
): Promise<MiniAppRegistration[]> {
  return ctx.tx(async (tx) => {
    const { id } = await ownOrganization(ctx, tx, organizationId);
    return (await selectMiniAppsOf(tx, id)).map((row) => toRecord(row));
  });
}

export async function updateMiniApp(
  ctx: ChangeContext,
  { miniAppId, body }: { miniAppId: string; body: { name: string } },
): Promise<MiniAppRegistration> {
  return ctx.tx(async (tx) => {
    const row = await getForUpdate(tx, miniAppId);
    return toRecord(await change(ctx, tx, row, { action: 'rename', name: body.name }));
  });
}

/** Makes a new key pair. What was signed by the old one can no longer be told from a stranger's. */
export async function resetSecret(
  ctx: ChangeContext & Pick<Context, 'keyring' | 'random'>,
  { miniAppId }: { miniAppId: string },
): Promise<MiniAppRegistration> {
  return ctx.tx(async (tx) => {
    const row = await getForUpdate(tx, miniAppId);
    const { publicKey, privateKey, sealed } = newKeys(ctx, row.id);
    const changed = await change(ctx, tx, row, { action: 'reset-secret', public_key: publicKey, private_key: sealed });
    return toRecord(changed, privateKey);
  });
}

/** Deletes a mini-app. It is taken out of every community that has it, in the background. */
export async function deleteMiniApp(ctx: ChangeContext, { miniAppId }: { miniAppId: string }): Promise<void> {
  await ctx.tx(async (tx) => {
    const { id } = await getForUpdate(tx, miniAppId);
    await enqueue(tx, withdrawApp, { appId: id }, { key: id });
    await deleteMiniAppRow(tx, id);
  });
}
