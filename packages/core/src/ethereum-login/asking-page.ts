import { AppError } from '@latchkey/kernel';
import { scopesOfOrigin } from '../client-apps/index.ts';
import type { Context } from '../context.ts';

/** The page a login is for, and what a token that results from it may do. */
export interface AskingPage {
  domain: string;
  uri: string;
  scopes: readonly string[];
}

/**
 * Decides which page may ask people to sign in. A message carries the page's domain so that a wallet can warn of a
 * stranger's; a server that wrote any domain into it would make that warning worthless. A token for a page of a client
 * application holds no more than that application may do.
 */
export async function checkAskingPage(
  ctx: Pick<Context, 'db' | 'settings'>,
  { uri = ctx.settings.baseUrl, domain }: { uri?: string | undefined; domain?: string | undefined },
): Promise<AskingPage> {
  const page = URL.parse(uri);
  if (page === null || !/^https?:$/.test(page.protocol) || page.username !== '' || page.password !== '')
    throw refused('/uri', 'must be an http or https address');
  if (domain !== undefined && domain !== page.host) throw refused('/domain', 'must be the host of uri');
  const isOwn = page.origin === new URL(ctx.settings.baseUrl).origin;
  const scopes = isOwn ? ['$all'] : await scopesOfOrigin(ctx.db.pool, page.origin);
  if (scopes === undefined)
    throw refused('/uri', 'must be on this server or on an allowed origin of an approved client application');
  return { domain: page.host, uri: page.href, scopes };
}

function refused(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', `The body at ${path} ${message}.`, {
    details: [{ path, code: 'page', message }],
  });
}
