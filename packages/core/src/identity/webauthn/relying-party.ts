import { AppError } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { findRedirectTargets } from '../client-apps/index.ts';

/**
 * Returns the domain that passkeys are bound to: the requested one, if it is the host of this server or a parent of it,
 * otherwise the host. Browsers themselves refuse a public suffix such as co.uk.
 */
export function chooseRpId(baseUrl: string, requested: string | undefined): string {
  const own = ownRpId(baseUrl);
  if (requested === undefined || requested === own) return own;
  if (requested.includes('.') && isUnder(own, requested)) return requested;
  throw new AppError('INVALID_PARAMETER_VALUE', `The parameter rpID must be ${own} or a parent domain of ${own}.`, {
    details: { parameter: 'rpID' },
  });
}

function ownRpId(baseUrl: string): string {
  const { hostname } = new URL(baseUrl);
  // Passkeys are bound to names. Browsers accept localhost as one, and developers use it for a loopback address.
  if (isLoopback(hostname)) return 'localhost';
  if (hostname.startsWith('[') || /^[\d.]+$/.test(hostname)) {
    throw new AppError(
      'STATE_CONFLICT',
      'Passkeys need a domain name, but this server’s address is an IP address. The operator can set a domain name with LATCHKEY_BASE_URL.',
    );
  }
  return hostname;
}

/**
 * Whether a page may use the passkeys of a domain: a page of the domain itself or of this server, any port of localhost
 * during development, or a page under the domain that the calling client application is registered for.
 */
export async function acceptsOrigin(
  ctx: Pick<Context, 'actor' | 'db' | 'settings'>,
  rpId: string,
  origin: string,
): Promise<boolean> {
  const page = URL.parse(origin);
  if (page === null || page.origin !== origin || !isUnder(page.hostname, rpId)) return false;
  if (page.hostname === 'localhost') return page.protocol === 'http:' || page.protocol === 'https:';
  if (page.protocol !== 'https:') return false;
  if (origin === `https://${rpId}` || origin === new URL(ctx.settings.baseUrl).origin) return true;
  const { client } = ctx.actor;
  const targets = client && (await findRedirectTargets(ctx, client.id));
  return targets?.allowedOrigins.includes(origin) ?? false;
}

function isUnder(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

function isLoopback(host: string): boolean {
  return isUnder(host, 'localhost') || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
