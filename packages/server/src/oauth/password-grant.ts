import {
  canonicalScopes,
  claimsOf,
  findForbiddenScope,
  isLinkedTo,
  lifetimes,
  noteAuthorization,
  rememberAccount,
  type Services,
  sortScopes,
  useUpAeToken,
} from '@latchkey/core';
import { AppError } from '@latchkey/kernel';
import type Provider from 'oidc-provider';
import { errors, type TokenEndpointGrantContext } from 'oidc-provider';
import { clientOf } from './client.ts';
import { createGrant } from './grants.ts';
import { limitOfContext, limitToContext } from './login-limit.ts';
import { refusedScope } from './policy.ts';

interface PasswordParams {
  username?: string;
  password?: string;
  scope?: string;
}

/**
 * People have no passwords here. What stands for one is an AE token, the proof of a login by wallet or passkey: it lives
 * for an hour at most, and this uses it up.
 */
export function passwordGrant(provider: Provider, services: Services) {
  return async (ctx: TokenEndpointGrantContext<PasswordParams>): Promise<void> => {
    const { client, params } = ctx.oidc;
    const asked = canonicalScopes(params.scope ?? 'openid');
    const forbidden = findForbiddenScope(clientOf(client), asked);
    if (forbidden !== undefined) throw refusedScope(forbidden);
    const user = await logIn(services, params);
    await rememberAccount(services, user);
    const { userId } = user;
    const limit = limitOfContext(limitToContext(user.scopes));
    const { open } = await sortScopes(services, userId, asked, limit);
    const { id: grantId, grant } = await createGrant(provider, {
      userId,
      client: clientOf(client),
      asked,
      allowed: open,
    });
    await noteAuthorization(services, { userId, clientId: client.clientId, scopes: open });
    ctx.oidc.entity('Grant', grant);
    const claims = await claimsOf(services, user, open);
    ctx.body = await issue(provider, ctx, { userId, grantId, scopes: open, claims });
  };
}

async function logIn(services: Services, { username, password }: PasswordParams) {
  if (username === undefined || password === undefined)
    throw new errors.InvalidRequest('missing required parameter(s) username and password');
  try {
    const user = await useUpAeToken(services, password);
    if (await isNamed(services, username, user.userId)) return user;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'INVALID_CREDENTIAL') throw error;
  }
  throw new errors.InvalidGrant('the username and password do not fit');
}

async function isNamed(services: Services, username: string, userId: string): Promise<boolean> {
  if (username === userId) return true;
  const address = services.wallets.evm.normalizeAddress(username, '1');
  return address !== undefined && (await isLinkedTo(services.db.system, userId, address));
}

interface Granted {
  userId: string;
  grantId: string;
  scopes: readonly string[];
  /** What the scopes allow to be told of the person. */
  claims: Record<string, unknown>;
}

async function issue(
  provider: Provider,
  ctx: TokenEndpointGrantContext<PasswordParams>,
  { userId, grantId, scopes, claims }: Granted,
): Promise<Record<string, unknown>> {
  const { client } = ctx.oidc;
  const scope = scopes.join(' ');
  const common = { accountId: userId, client, grantId, gty: 'password', scope };
  const accessToken = new provider.AccessToken(common);
  ctx.oidc.entity('AccessToken', accessToken);
  const refresh = client.grantTypeAllowed('refresh_token')
    ? await new provider.RefreshToken({ ...common, rotations: 0 }).save()
    : undefined;
  return {
    access_token: await accessToken.save(),
    token_type: 'Bearer',
    expires_in: lifetimes.accessToken,
    scope,
    ...(refresh !== undefined && { refresh_token: refresh }),
    ...(scopes.includes('openid') && { id_token: await issueIdToken(provider, ctx, claims, scope) }),
  };
}

function issueIdToken(
  provider: Provider,
  ctx: TokenEndpointGrantContext<PasswordParams>,
  claims: Record<string, unknown>,
  scope: string,
): Promise<string> {
  // The types of the library leave out what it filters claims by.
  const token = Object.assign(new provider.IdToken(claims, { ctx }), { scope });
  return token.issue({ use: 'idtoken' });
}
