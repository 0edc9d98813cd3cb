import {
  canonicalScopes,
  findForbiddenOwnScope,
  findForbiddenScope,
  isLoopback,
  readLivingClaims,
  type Services,
} from '@latchkey/core';
import { mayCallFrom } from '@latchkey/kernel';
import { decodeJwt } from 'jose';
import {
  type AccessToken,
  type Client,
  type ClientCredentials,
  errors,
  interactionPolicy,
  type KoaContextWithOIDC,
} from 'oidc-provider';
import { applicationCaller } from '../http/origins.ts';
import { clientOf } from './client.ts';

/** Requires a login and then consent, as the provider does, and asks for consent every time for native applications. */
export function createPolicy(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base();
  // Any program on the machine can impersonate one with a loopback redirect URI (RFC 8252 8.6).
  policy.get('consent')?.checks.add(
    new interactionPolicy.Check(
      'loopback',
      'an application on this machine needs consent',
      'interaction_required',
      (ctx) => {
        const { client, params, result } = ctx.oidc;
        // A code that another program intercepts is useless without the secret.
        const isUnproven = client?.clientAuthMethod === 'none' || params?.response_type !== 'code';
        return isUnproven && isLoopback(String(params?.redirect_uri)) && result?.consent === undefined;
      },
    ),
  );
  return policy;
}

/** Refuses an authorization request for scopes that the application may not have. */
export function checkScopes(ctx: KoaContextWithOIDC, _known: string | undefined, client: Client): void {
  // Checks the original parameter: the provider has already dropped unknown scopes, and a misspelled one would go
  // unnoticed.
  const forbidden = findForbiddenScope(clientOf(client), canonicalScopes(requestedScope(ctx)));
  if (forbidden !== undefined) throw refusedScope(forbidden);
}

/** The scope as it was sent: in the URL, in a pushed form, or in a signed request. */
function requestedScope({ oidc, query }: KoaContextWithOIDC): string {
  const sent = { ...query, ...oidc.body };
  const inside = typeof sent.request === 'string' ? decodeJwt(sent.request).scope : undefined;
  return String(inside ?? sent.scope ?? '');
}

/**
 * Resource indicators (RFC 8707). A token is looked up here and nowhere else, so that it is restricted to this server in
 * any case; a request for another resource is refused rather than answered with a token that is useless there.
 */
export function checkResource(baseUrl: string, resource: unknown): void {
  if (resource === undefined) return;
  const known = ['', '/', '/mcp', '/mcp/act'].map((path) => `${baseUrl}${path}`);
  const requested = Array.isArray(resource) ? resource : [resource];
  if (!requested.every((one) => known.includes(String(one))))
    throw new errors.InvalidTarget('this server issues tokens for itself only');
}

/** Refuses an application's request for its own token with scopes that it may not have. */
export function checkOwnScopes(client: Client, requested: string | undefined): string | undefined {
  if (requested === undefined) return undefined;
  const scopes = canonicalScopes(requested);
  const forbidden = findForbiddenOwnScope(clientOf(client), scopes);
  if (forbidden !== undefined) throw refusedScope(forbidden);
  return scopes.join(' ');
}

export function refusedScope(scope: string): errors.InvalidScope {
  return new errors.InvalidScope('the scope is unknown, or the application may not request it', scope);
}

/** Whether an application accepts calls from a page, by the same table as the API. */
export function isAllowedOrigin(_ctx: KoaContextWithOIDC, origin: string, client: Client): boolean {
  const { allowedOrigins } = clientOf(client);
  return mayCallFrom(applicationCaller({ allowedOrigins }), allowedOrigins.includes(origin) ? 'listed' : 'other');
}

type Token = Pick<AccessToken | ClientCredentials, 'clientId'>;

/** An application may introspect its own tokens and, unless it is public, those of the same owner's other active ones. */
export async function mayIntrospect(ctx: KoaContextWithOIDC, client: Client, { clientId }: Token): Promise<boolean> {
  if (clientId === undefined) return false;
  if (clientId === client.clientId) return true;
  const holder = await ctx.oidc.provider.Client.find(clientId);
  if (holder === undefined) return false;
  return client.clientAuthMethod !== 'none' && clientOf(holder).ownerId === clientOf(client).ownerId;
}

/** For other applications a token is unknown, and revoking an unknown token is not an error. */
export function mayRevoke(_ctx: KoaContextWithOIDC, client: Client, token: Token): boolean {
  return token.clientId === client.clientId;
}

/** The claims of a new token. Introspection returns them, after checking that they are still true. */
export function claimsForToken(services: Services) {
  return async (_ctx: KoaContextWithOIDC, token: AccessToken | ClientCredentials) => {
    if (token.kind !== 'AccessToken') return undefined;
    return { ...(await readLivingClaims(services, token.accountId, token.scopes)) };
  };
}
