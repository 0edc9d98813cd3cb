import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type AskingApp, findAppOfOrigin } from '../../developers/client-apps/index.ts';

/** The page a login is for. */
export interface AskingPage {
  domain: string;
  uri: string;
  /** The application whose page it is; absent for a page of this server. */
  application?: AskingApp;
}

/**
 * Decides which page may ask people to sign in. A message carries the page's domain so that a wallet can warn of a
 * stranger's; a server that wrote any domain into it would make that warning worthless.
 */
export async function checkAskingPage(
  ctx: Pick<Context, 'db' | 'settings'>,
  { uri = ctx.settings.baseUrl, domain }: { uri?: string | undefined; domain?: string | undefined },
): Promise<AskingPage> {
  const page = URL.parse(uri);
  if (page === null || !/^https?:$/.test(page.protocol) || page.username !== '' || page.password !== '')
    throw refused('/uri', 'must be an http or https address');
  if (domain !== undefined && domain !== page.host) throw refused('/domain', 'must be the host of uri');
  const asking = { domain: page.host, uri: page.href };
  if (page.origin === new URL(ctx.settings.baseUrl).origin) return asking;
  const application = await findAppOfOrigin(ctx.db.pool, page.origin);
  if (application === undefined)
    throw refused('/uri', 'must be on this server or on an allowed origin of an approved client application');
  return { ...asking, application };
}

function refused(path: string, message: string): AppError {
  return new AppError('VALIDATION_FAILED', `The body at ${path} ${message}.`, {
    details: [{ path, code: 'page', message }],
  });
}
