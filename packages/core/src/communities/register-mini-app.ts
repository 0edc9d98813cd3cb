import { AppError } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import { upsertManifest } from './app-queries.ts';
import type { MiniAppManifest } from './mini-app.ts';

/** Makes a mini-app known, so that communities can install it; known ones get the new manifest. For the operator. */
export async function registerMiniApp(
  ctx: Pick<Context, 'actor' | 'clock' | 'db'>,
  manifest: MiniAppManifest,
): Promise<void> {
  if (ctx.actor.kind !== 'admin' && ctx.actor.kind !== 'system')
    throw new AppError('ROLE_NOT_ALLOWED', 'Only the operator makes mini-apps known.');
  await upsertManifest(ctx.db.system, manifest, ctx.clock());
}
