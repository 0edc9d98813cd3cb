import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { openContent } from './slug.ts';

/** What was kept behind a slug, or undefined when it was never kept, is something else or has expired. */
export async function openState(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  slug: string,
): Promise<Record<string, unknown> | undefined> {
  const content = await openContent(ctx, slug);
  return content?.kind === 'state' ? content.state : undefined;
}

export async function getState(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  { slug }: { slug: string },
): Promise<Record<string, unknown>> {
  const state = await openState(ctx, slug);
  if (state === undefined) throw notFound('state');
  return state;
}

/** Where a short link leads, or undefined when it was never made, leads nowhere or has expired. */
export async function findLocation(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  slug: string,
): Promise<string | undefined> {
  return (await openContent(ctx, slug))?.location ?? undefined;
}

export async function redirectSlug(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring' | 'settings'>,
  { slug }: { slug: string },
): Promise<{ location: string }> {
  const content = await openContent(ctx, slug);
  if (content === undefined) throw notFound('slug');
  return { location: content.location ?? `${ctx.settings.baseUrl}/states/${slug}` };
}
