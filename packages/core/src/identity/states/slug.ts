import { hashSecret, type Tx } from '@latchkey/db';
import { addSeconds, principalId, record, T, text } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { findContent, insertSlug } from './queries.ts';

/** What a slug resolves to: a stored state, which may have a redirect URL, or just a URL. */
export type SlugContent =
  | { kind: 'state'; state: Record<string, unknown>; location: string | null }
  | { kind: 'redirect'; location: string };

export const CreateStateResponse = record('CreateStateResponse', 'A short link and its expiry.', {
  url: text('The short link.'),
  slug: text('The last part of the link; anyone who knows it can read the state.', { maxLength: 64 }),
  expiresAt: T.Optional(T.Number({ description: 'When the link expires, in seconds since 1970.' })),
});

export interface ShortLink {
  url: string;
  slug: string;
  expiresAt: number;
}

type KeepContext = Pick<Context, 'actor' | 'clock' | 'keyring' | 'random' | 'settings'>;

const slugLength = 21;

/** Stores content behind a new slug, which only the caller gets. */
export async function keepContent(
  ctx: KeepContext,
  tx: Tx,
  content: SlugContent,
  ttlSeconds: number,
): Promise<ShortLink> {
  const slug = ctx.random.id(slugLength);
  const slugHash = hashSecret(slug);
  const createdAt = ctx.clock();
  const expiresAt = addSeconds(createdAt, ttlSeconds);
  await insertSlug(tx, {
    slug_hash: slugHash,
    owner_id: principalId(ctx.actor),
    content: ctx.keyring.seal(contentPlace(slugHash), JSON.stringify(content)),
    created_at: createdAt,
    expires_at: expiresAt,
  });
  return { url: `${ctx.settings.baseUrl}/slugs/${slug}`, slug, expiresAt: Math.floor(expiresAt.getTime() / 1000) };
}

/** Anyone who knows a slug may follow it, so this bypasses the row policies. */
export async function openContent(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  slug: string,
): Promise<SlugContent | undefined> {
  const slugHash = hashSecret(slug);
  const sealed = await findContent(ctx.db.system, slugHash, ctx.clock());
  return sealed === undefined ? undefined : parseContent(ctx.keyring.openText(contentPlace(slugHash), sealed));
}

export function contentPlace(slugHash: string): string {
  return `slugs.content:${slugHash}`;
}

// Sealed text is authenticated: it can only be what keepContent wrote.
function parseContent(json: string): SlugContent {
  return JSON.parse(json) as SlugContent;
}
