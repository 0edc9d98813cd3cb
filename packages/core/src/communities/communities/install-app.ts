import { enqueue } from '@latchkey/db';
import { notFound, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type AppNews, appNews } from './app-news.ts';
import { deleteApp, selectManifest, upsertApp } from './app-queries.ts';
import type { MiniAppManifest } from './mini-app.ts';
import { getCommunity } from './own-community.ts';
import { requireFeature } from './require-feature.ts';

type AppContext = Pick<Context, 'actor' | 'clock' | 'tx'>;
type InstallContext = AppContext & Pick<Context, 'db' | 'settings'>;
type Named = { communityId: string; appId: string };

/** Installs a mini-app that this server knows. Installing it again takes its newest manifest. */
export async function installMiniApp(
  ctx: InstallContext,
  { communityId, appId, body = {} }: Named & { body?: Record<string, unknown> | undefined },
): Promise<MiniAppManifest> {
  return ctx.tx(async (tx) => {
    const community = await getCommunity(tx, communityId);
    const manifest = await selectManifest(tx, appId);
    if (manifest === undefined || !admits(manifest, [community.id, community.community_id])) throw notFound('mini-app');
    await requireFeature(ctx, community.id, 'MINIAPP', appId);
    await upsertApp(tx, {
      community_id: community.id,
      app_id: appId,
      admin_id: principalId(ctx.actor),
      manifest,
      installed_version: manifest.version?.name ?? '0.0.0',
      metadata: body,
      installed_at: ctx.clock(),
    });
    await enqueue(tx, appNews, newsOf(ctx, 'install', community.id, appId));
    return manifest;
  });
}

function newsOf(ctx: AppContext, event: AppNews['event'], communityId: string, appId: string): AppNews {
  const userId = principalId(ctx.actor);
  return { event, communityId, appId, userId: userId.split('#').at(-1) ?? userId, at: ctx.clock().getTime() };
}

function admits({ supportedCommunities }: MiniAppManifest, ids: readonly string[]): boolean {
  return supportedCommunities === undefined || ids.some((id) => supportedCommunities.includes(id));
}

export async function uninstallMiniApp(ctx: AppContext, { communityId, appId }: Named): Promise<void> {
  await ctx.tx(async (tx) => {
    const { id } = await getCommunity(tx, communityId);
    if (!(await deleteApp(tx, id, appId))) throw notFound('mini-app');
    await enqueue(tx, appNews, newsOf(ctx, 'uninstall', id, appId));
  });
}
