import { findScope, isOpenIdScope, isScope, type OpenIdScope, type Scope, scopes, splitScopes } from '@latchkey/kernel';
import type { OauthClient } from '../../identity/client-apps/index.ts';
import type { ServerMessages } from '../../shared/messages/index.ts';
import { parseLivingScope } from './living-scope.ts';

/** Normalizes a scope string, which may have commas and legacy names. */
export function canonicalScopes(text: string): string[] {
  return [...new Set(splitScopes(text).map((name) => findScope(name) ?? name))];
}

/** Returns the first scope that an application may not request from users; undefined if it may request all of them. */
export function findForbiddenScope(client: OauthClient, asked: readonly string[]): string | undefined {
  return asked.find((scope) => {
    if (isOpenIdScope(scope)) return client.disallowedScopes.includes(scope);
    if (parseLivingScope(scope) === undefined) return !isGranted(client, scope);
    // Claims are returned in the id token and by userinfo, which are parts of OpenID Connect.
    return !asked.includes('openid') || !isGranted(client, 'user:community:read');
  });
}

/** Returns the first scope that an application may not have for its own token. */
export function findForbiddenOwnScope(client: OauthClient, asked: readonly string[]): string | undefined {
  return asked.find((scope) => !isGranted(client, scope));
}

/** Reserved scopes ($internal, $all) are never in a token: they belong to the application itself. */
function isGranted({ allowedScopes, disallowedScopes }: OauthClient, scope: string): boolean {
  if (!isScope(scope) || scope.startsWith('$')) return false;
  if (disallowedScopes.includes('$all') || disallowedScopes.includes(scope)) return false;
  return allowedScopes.includes('$all') || allowedScopes.includes(scope);
}

/** The scopes that members are asked for in their language. Others are for developers and operators. */
type OwnScope = OpenIdScope | Extract<Scope, `user:${string}`>;

function isOwnScope(scope: string): scope is OwnScope {
  return isOpenIdScope(scope) || (isScope(scope) && scope.startsWith('user:'));
}

/** Describes a scope in words that follow “may”. */
export function describeScope(scope: string, say: ServerMessages, communityName?: string): string {
  const living = parseLivingScope(scope);
  const community = communityName ?? living?.communityId ?? '';
  if (living?.claim === 'roles') return say('scope.roles', { community });
  if (living?.claim === 'holdings') return say('scope.holdings', { community });
  if (isOwnScope(scope)) return say(`scope.${scope}`);
  const words = isScope(scope) ? scopes[scope].description : scope;
  return words.charAt(0).toLowerCase() + words.slice(1).replace(/\.$/, '');
}
