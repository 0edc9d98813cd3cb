import { type Enqueueable, enqueue } from '@latchkey/db';
import { AppError, choice, notFound, principalId, shape, T, text } from '@latchkey/kernel';
import { communityIdField } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { requireFeature } from '../community-plans/index.ts';
import { getCommunity } from '../community-records/index.ts';
import type { MiniAppManifest } from './manifest.ts';
import { deleteApp, selectManifest, upsertApp, upsertManifest, withdrawManifest } from './queries.ts';

type AppContext = Pick<Context, 'actor' | 'clock' | 'tx'>;
type InstallContext = AppContext & Pick<Context, 'db' | 'settings'>;
type Named = { communityId: string; appId: string };

/** Installs a registered mini-app. Installing it again updates it to the newest manifest. */
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

/** Announces that a community installed or removed a mini-app. Written in the same transaction. */
export interface AppNews {
  event: 'install' | 'uninstall';
  communityId: string;
  appId: string;
  /** The user who did it, by the chat platform's own id. */
  userId: string;
  /** In milliseconds since 1970. */
  at: number;
}

export const appNews: Enqueueable<AppNews> = {
  name: 'miniapps.news',
  payload: shape(
    T.Object({
      event: choice('What was done.', ['install', 'uninstall'] as const),
      communityId: communityIdField(),
      appId: text('The mini-app.', { maxLength: 100 }),
      userId: text('Who did it.', { maxLength: 128 }),
      at: T.Number({ description: 'When.' }),
    }),
  ),
};

/** Registers a mini-app, so that communities can install it, or updates its manifest. For the operator. */
export async function registerMiniApp(
  ctx: Pick<Context, 'actor' | 'clock' | 'tx'>,
  manifest: MiniAppManifest,
): Promise<void> {
  assertOperator(ctx);
  await ctx.tx((tx) => upsertManifest(tx, manifest, ctx.clock()));
}

/** Withdraws a mini-app: it cannot be installed, and installed copies are inactive, until it is registered again. */
export async function withdrawMiniApp(ctx: Pick<Context, 'actor' | 'clock' | 'tx'>, appId: string): Promise<void> {
  assertOperator(ctx);
  await ctx.tx((tx) => withdrawManifest(tx, appId, ctx.clock()));
}

function assertOperator({ actor }: Pick<Context, 'actor'>): void {
  if (actor.kind !== 'admin' && actor.kind !== 'system')
    throw new AppError('ROLE_NOT_ALLOWED', 'Only the operator can register mini-apps.');
}
