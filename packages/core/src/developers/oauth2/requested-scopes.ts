import { findScope, isOpenIdScope, isScope, type OpenIdScope, type Scope, scopes, splitScopes } from '@latchkey/kernel';
import type { OauthClient } from '../../identity/client-apps/index.ts';
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

const openIdWords: Readonly<Record<OpenIdScope, string>> = {
  openid: 'recognize you when you come back',
  profile: 'know your name and where your account is from',
  email: 'know your e-mail address, if this server had one',
  address: 'know your wallet address, if your account is a wallet',
  phone: 'know your telephone number, if this server had one',
  offline_access: 'keep its access while you are away',
};

/** Descriptions that address the user directly, where the list of scopes speaks about the user. */
const ownWords: Readonly<Partial<Record<Scope, string>>> = {
  'user:read': 'see which account you are signed in with',
  'user:community:read': 'see the communities you are in or manage, and your roles there',
  'user:wallet:read': 'see the wallets you have linked',
  'user:wallet:write': 'link and unlink wallets of yours',
  'user:pkp:claim': 'create a hosted wallet for you',
  'user:pkp:read': 'see your hosted wallet',
  'user:pkp:sign': 'sign messages with your hosted wallet',
  'user:webauthn-credential:read': 'see your passkeys',
  'user:webauthn-credential:write': 'add, rename and delete your passkeys',
  'user:verifiable-credential:read': 'see your verifiable credentials',
  'user:verifiable-credential:write': 'issue verifiable credentials in your name',
};

/** Describes a scope in words that follow “may”. */
export function describeScope(scope: string, communityName?: string): string {
  const living = parseLivingScope(scope);
  const place = communityName ?? living?.communityId;
  if (living?.claim === 'roles') return `see which roles you have in ${place}, for as long as you have them`;
  if (living?.claim === 'holdings') return `see which rules of ${place} your wallets meet, for as long as they do`;
  const known = isScope(scope) ? (ownWords[scope] ?? scopes[scope].description) : scope;
  const words = isOpenIdScope(scope) ? openIdWords[scope] : known;
  return words.charAt(0).toLowerCase() + words.slice(1).replace(/\.$/, '');
}
