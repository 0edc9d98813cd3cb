import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { findRedirectTargets } from '../../developers/client-apps/index.ts';

const maxUrlLength = 2048;

/**
 * An address that people may be sent on to. A short link carries this server's name, so it must not become a way to send
 * people anywhere: only to where the caller's client application is registered.
 */
export async function ownRedirectTarget(
  ctx: Pick<Context, 'actor' | 'db' | 'settings'>,
  url: string,
  path = '/url',
): Promise<string> {
  const { client } = ctx.actor;
  const targets =
    client === undefined
      ? { redirectUris: [], allowedOrigins: [new URL(ctx.settings.baseUrl).origin] }
      : ((await findRedirectTargets(ctx, client.id)) ?? { redirectUris: [], allowedOrigins: [] });
  const parsed = url.length <= maxUrlLength ? URL.parse(url) : null;
  if (parsed === null || !isAllowed(url, parsed, targets)) throw refused(client !== undefined, path);
  // What was checked is what is sent: a browser and a simpler client may read odd spellings of an address differently.
  return parsed.href;
}

function isAllowed(url: string, parsed: URL, targets: { redirectUris: string[]; allowedOrigins: string[] }): boolean {
  if (targets.redirectUris.includes(url)) return true;
  const isWeb = parsed.protocol === 'https:' || parsed.protocol === 'http:';
  return isWeb && parsed.username === '' && parsed.password === '' && targets.allowedOrigins.includes(parsed.origin);
}

function refused(hasClient: boolean, path: string): AppError {
  const message = hasClient
    ? 'Use one of the redirectUris of the client application, or an address under one of its allowedOrigins.'
    : 'Use an address on this server: without a client application there is no other place to go on to.';
  return new AppError('VALIDATION_FAILED', `The body at ${path} names an address it may not lead to.`, {
    details: [{ path, code: 'redirectNotAllowed', message }],
  });
}
