import { AppError } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { upsertManifest, withdrawManifest } from './app-queries.ts';
import type { MiniAppManifest } from './mini-app.ts';

/** Makes a mini-app known, so that communities can install it; known ones get the new manifest. For the operator. */
export async function registerMiniApp(
  ctx: Pick<Context, 'actor' | 'clock' | 'tx'>,
  manifest: MiniAppManifest,
): Promise<void> {
  assertOperator(ctx);
  await ctx.tx((tx) => upsertManifest(tx, manifest, ctx.clock()));
}

/** Takes a mini-app off: it cannot be installed, and does nothing where it is, until it is made known again. */
export async function withdrawMiniApp(ctx: Pick<Context, 'actor' | 'clock' | 'tx'>, appId: string): Promise<void> {
  assertOperator(ctx);
  await ctx.tx((tx) => withdrawManifest(tx, appId, ctx.clock()));
}

function assertOperator({ actor }: Pick<Context, 'actor'>): void {
  if (actor.kind !== 'admin' && actor.kind !== 'system')
    throw new AppError('ROLE_NOT_ALLOWED', 'Only the operator makes mini-apps known.');
}
