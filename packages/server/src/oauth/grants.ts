import { findRemembered, lifetimes, type OauthClient, type Services, sortScopes } from '@latchkey/core';
import type Provider from 'oidc-provider';
import type { Grant, KoaContextWithOIDC } from 'oidc-provider';
import { clientOf } from './client.ts';
import { limitOfContext } from './login-limit.ts';

export interface NewGrant {
  userId: string;
  client: Pick<OauthClient, 'id' | 'grantTypes'>;
  /** The requested scopes. */
  requested: Iterable<string>;
  /** The granted scopes. */
  allowed: Iterable<string>;
}

/** Creates a grant. Each is its own family of tokens, so that a stolen token revokes no other family. */
export async function createGrant(
  provider: Provider,
  { userId, client, requested, allowed }: NewGrant,
): Promise<{ id: string; grant: Grant }> {
  // A grant that cannot be refreshed ends with its first access token.
  const isLong = client.grantTypes.includes('refresh_token');
  const expiresIn = isLong ? lifetimes.grant : lifetimes.code + lifetimes.accessToken;
  const grant = new provider.Grant(withLifetime({ accountId: userId, clientId: client.id }, expiresIn));
  const granted = new Set(allowed);
  const refused = [...requested].filter((scope) => !granted.has(scope));
  if (granted.size > 0) grant.addOIDCScope(granted);
  if (refused.length > 0) grant.rejectOIDCScope(refused);
  return { id: await grant.save(), grant };
}

/** Loads the grant of a request: the one just given, or a new one if no consent is needed. */
export function grantLoader(services: Services) {
  return async (ctx: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const { oidc } = ctx;
    const given = oidc.result?.consent?.grantId;
    if (given !== undefined) return oidc.provider.Grant.find(given);
    const userId = oidc.session?.accountId;
    if (userId === undefined || oidc.client === undefined) return undefined;
    if (oidc.promptPending('login') || oidc.promptPending('consent')) return undefined;
    const requested = oidc.requestParamOIDCScopes;
    const { open } = await sortScopes(services, userId, requested, limitOfContext(oidc.session?.acr));
    const client = clientOf(oidc.client);
    const remembered = await findRemembered(services, userId, client.id);
    if (open.length === 0 || !open.every((scope) => remembered.includes(scope))) return undefined;
    return (await createGrant(oidc.provider, { userId, client, requested, allowed: open })).grant;
  };
}

// Every token of the library accepts a lifetime, but its types declare that only for some.
function withLifetime<Properties extends object>(properties: Properties, expiresIn: number): Properties {
  return { ...properties, expiresIn };
}
