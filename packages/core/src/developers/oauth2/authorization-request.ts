import { findScope, isOpenIdScope, isScope, type OpenIdScope, type Scope, scopes, splitScopes } from '@latchkey/kernel';
import type { OauthClient } from '../../identity/client-apps/index.ts';
import type { Context } from '../../shared/context.ts';
import type { ServerMessages } from '../../shared/messages/index.ts';
import { findArtifact } from './artifact.ts';
import { parseLivingScope } from './living-scope.ts';

/** An application's authorization request, while the user signs in and decides. */
export interface AuthorizationRequest {
  clientId: string;
  redirectUri: string;
  scopes: readonly string[];
  /** The user the browser is logged in as; undefined when logged out. */
  userId: string | undefined;
  /** What the user is asked at the moment. */
  asks: 'login' | 'consent';
}

interface Interaction {
  exp?: number;
  params?: { client_id?: string; redirect_uri?: string; scope?: string };
  session?: { accountId?: string };
  prompt?: { name?: string };
}

/** Finds the open request with this slug. */
export async function findAuthorizationRequest(
  ctx: Pick<Context, 'clock' | 'db' | 'keyring'>,
  slug: string,
): Promise<AuthorizationRequest | undefined> {
  const found = asInteraction(await findArtifact(ctx, 'interaction', slug));
  if (found === undefined || (found.exp ?? 0) * 1000 <= ctx.clock().getTime()) return undefined;
  const { client_id, redirect_uri, scope = '' } = found.params ?? {};
  if (client_id === undefined || redirect_uri === undefined) return undefined;
  return {
    clientId: client_id,
    redirectUri: redirect_uri,
    scopes: canonicalScopes(scope),
    userId: found.session?.accountId,
    asks: found.prompt?.name === 'login' ? 'login' : 'consent',
  };
}

// Sealed content was written by the provider library, in the shape of its interactions.
function asInteraction(content: unknown): Interaction | undefined {
  return content as Interaction | undefined;
}

/** Normalizes a scope string, which may have commas and legacy names. */
export function canonicalScopes(text: string): string[] {
  return [...new Set(splitScopes(text).map((name) => findScope(name) ?? name))];
}

/** Returns the first scope that an application may not request from users; undefined if it may request all of them. */
export function findForbiddenScope(client: OauthClient, requested: readonly string[]): string | undefined {
  return requested.find((scope) => {
    if (isOpenIdScope(scope)) return client.disallowedScopes.includes(scope);
    if (parseLivingScope(scope) === undefined) return !isGranted(client, scope);
    // Claims are returned in the id token and by userinfo, which are parts of OpenID Connect.
    return !requested.includes('openid') || !isGranted(client, 'user:community:read');
  });
}

/** Returns the first scope that an application may not have for its own token. */
export function findForbiddenOwnScope(client: OauthClient, requested: readonly string[]): string | undefined {
  return requested.find((scope) => !isGranted(client, scope));
}

/** Reserved scopes ($internal, $all) are never in a token: they belong to the application itself. */
function isGranted({ allowedScopes, disallowedScopes }: OauthClient, scope: string): boolean {
  if (!isScope(scope) || scope.startsWith('$')) return false;
  if (disallowedScopes.includes('$all') || disallowedScopes.includes(scope)) return false;
  return allowedScopes.includes('$all') || allowedScopes.includes(scope);
}

/** What an application can ask a user for. Reserved scopes are never asked for: they belong to the application itself. */
type AskedScope = OpenIdScope | Exclude<Scope, `$${string}`>;

function isAskedScope(scope: string): scope is AskedScope {
  return isOpenIdScope(scope) || (isScope(scope) && !scope.startsWith('$'));
}

/** Describes a scope in words that follow “may”. */
export function describeScope(scope: string, say: ServerMessages, communityName?: string): string {
  const living = parseLivingScope(scope);
  const community = communityName ?? living?.communityId ?? '';
  if (living?.claim === 'roles') return say('scope.roles', { community });
  if (living?.claim === 'holdings') return say('scope.holdings', { community });
  if (isAskedScope(scope)) return say(`scope.${scope}`);
  const words = isScope(scope) ? scopes[scope].description : scope;
  return words.charAt(0).toLowerCase() + words.slice(1).replace(/\.$/, '');
}

const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

interface Registered {
  redirectUris: readonly string[];
  isPublic: boolean;
}

/**
 * Whether a URI is one that the application registered, byte for byte. An application with a registered loopback URI
 * over http may use any port and sub-path of it, under any of the three names of the machine. If `isStrict`, only a
 * public one may, and only the port may differ (RFC 8252 7.3). A server with a certificate has a fixed address, so over
 * https nothing may differ.
 */
export function isRegistered({ redirectUris, isPublic }: Registered, requested: string, isStrict = false): boolean {
  if (redirectUris.includes(requested)) return true;
  const place = isStrict && !isPublic ? undefined : readLoopback(requested);
  if (place?.scheme !== 'http') return false;
  const covers = isStrict ? differsInPortOnly : isBelow;
  return redirectUris.some((uri) => {
    const registered = readLoopback(uri);
    return registered !== undefined && covers(place, registered);
  });
}

/** Whether a URI is on the user's own machine, where any other program may listen as well. */
export function isLoopback(uri: string): boolean {
  return readLoopback(uri) !== undefined;
}

interface LoopbackAddress {
  scheme: string;
  host: string;
  path: string;
  query: string;
}

// Does not use a URL parser, which is lenient: compares what the browser will get.
function readLoopback(uri: string): LoopbackAddress | undefined {
  const [, scheme = '', host = '', port, path = '', query = ''] =
    /^(https?):\/\/([a-z0-9.]+|\[::1\])(:[0-9]{1,5})?((?:\/[^?]*)?)((?:\?.*)?)$/s.exec(uri) ?? [];
  if (!loopbackHosts.includes(host) || /[^!-~]|[\\#]/.test(path + query)) return undefined;
  const isPort = port === undefined || (Number(port.slice(1)) > 0 && Number(port.slice(1)) < 65_536);
  return isPort ? { scheme, host, path, query } : undefined;
}

function differsInPortOnly(request: LoopbackAddress, registered: LoopbackAddress): boolean {
  const parts = ['scheme', 'host', 'path', 'query'] as const;
  return parts.every((part) => request[part] === registered[part]);
}

function isBelow(request: LoopbackAddress, registered: LoopbackAddress): boolean {
  if (request.scheme !== registered.scheme || request.query !== registered.query) return false;
  const path = request.path || '/';
  const folder = registered.path.endsWith('/') ? registered.path : `${registered.path}/`;
  return path === registered.path || (path.startsWith(folder) && !leadsUpwards(path));
}

/** Browsers and servers resolve dot segments, in any encoding. */
function leadsUpwards(path: string): boolean {
  return /%2e|%2f|%5c/i.test(path) || path.split('/').some((segment) => segment === '.' || segment === '..');
}
