import type { JoinPage } from '@latchkey/kernel';
import { linkableNamespaces } from '../../linking/connect-links/index.ts';
import type { Context } from '../../shared/context.ts';
import { findJoinQuery } from '../telegram-gate/index.ts';

/** Returns the page of a request to join and its reader's language. It says nothing about the request: who reads it is not known yet. */
export async function findJoinPage(
  ctx: Pick<Context, 'db' | 'wallets'>,
  slug: string,
): Promise<{ page: JoinPage; locale: string | undefined } | undefined> {
  // The address of a page is not validated like an operation’s, and PostgreSQL refuses text with a NUL character.
  if (slug.includes('\0')) return undefined;
  const query = await findJoinQuery(ctx.db.system, slug);
  if (query === undefined) return undefined;
  return { page: { page: 'join', slug, namespaces: linkableNamespaces(ctx) }, locale: query.locale ?? undefined };
}
