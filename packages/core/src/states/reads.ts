import { notFound } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import { openContent } from './slug.ts';

export async function getState(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  { slug }: { slug: string },
): Promise<Record<string, unknown>> {
  const content = await openContent(ctx, slug);
  if (content?.kind !== 'state') throw notFound('state');
  return content.state;
}

export async function redirectSlug(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring' | 'settings'>,
  { slug }: { slug: string },
): Promise<{ location: string }> {
  const content = await openContent(ctx, slug);
  if (content === undefined) throw notFound('slug');
  return { location: content.location ?? `${ctx.settings.baseUrl}/states/${slug}` };
}
