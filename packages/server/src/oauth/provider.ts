import { EventEmitter } from 'node:events';
import {
  isClientSecret,
  isRegistered,
  newAccessToken,
  parseLivingScope,
  type Services,
  signingAlg,
} from '@latchkey/core';
import type { Random } from '@latchkey/kernel';
import Provider, { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import instance from 'oidc-provider/lib/helpers/weak_cache.js';
import { readableByPages } from '../http/cors.ts';
import { clientOf } from './client.ts';
import { configure, paths } from './configuration.ts';
import { hashPlainChallenge } from './hash-plain-challenge.ts';
import { normalizeRequest } from './normalize-request.ts';
import { passwordGrant } from './password-grant.ts';
import { checkOwnScopes } from './policy.ts';
import { asProtocolError } from './protocol-error.ts';
import { askBeforeLogout, redirectAsPublished, typeRevocations } from './shape-answers.ts';

/** The provider library over our tables and rules. */
export function createProvider(services: Services): Provider {
  const { strictOauth: isStrict } = services.settings;
  const provider = new Provider(services.settings.baseUrl, configure(services));
  // The address that we are reached under is known, so that what requests say of it is overwritten.
  provider.proxy = true;
  reportFaults(provider, services);
  provider.use(openToPages);
  provider.use(redirectAsPublished);
  provider.use(askBeforeLogout);
  provider.use(typeRevocations);
  provider.use(normalizeRequest(paths.authorize));
  if (isStrict !== true) provider.use(hashPlainChallenge(provider, paths.authorize));
  decideByOurRules(provider, isStrict === true);
  nameTokens(provider, services.random);
  openInside(provider);
  addGrantTypes(provider, services);
  return provider;
}

const routesForPages: readonly string[] = ['token', 'introspection', 'revocation', 'userinfo'];

/** A page reads refusals too, which the provider would keep from it. */
async function openToPages(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  try {
    await next();
  } finally {
    if (routesForPages.includes(ctx.oidc?.route)) ctx.set(readableByPages);
  }
}

// The provider leaves no other door for these decisions than the methods that make them.
function decideByOurRules(provider: Provider, isStrict: boolean): void {
  override(provider.Client.prototype, 'redirectUriAllowed', function (this: Client, uri: string) {
    return isRegistered(clientOf(this), uri, isStrict);
  });
  // The page of an application is registered with it, and many send people there when they have logged out.
  override(provider.Client.prototype, 'postLogoutRedirectUriAllowed', function (this: Client, uri: string) {
    return isRegistered(clientOf(this), uri, isStrict) || clientOf(this).url === uri;
  });
  override(provider.Client.prototype, 'compareClientSecret', function (this: Client, secret: string) {
    return isClientSecret(this.clientSecret ?? '', secret);
  });
  // Addresses are checked when an application is registered, by rules that the provider's own would contradict.
  override(schemaOf(provider), 'redirectUris', () => undefined);
  Object.defineProperty(provider.OIDCContext.prototype, 'requestParamOIDCScopes', {
    get(this: { requestParamScopes: Set<string> }) {
      const known = instance(provider).configuration.scopes;
      return new Set([...this.requestParamScopes].filter((scope) => known.has(scope) || isLiving(scope)));
    },
  });
}

function isLiving(scope: string): boolean {
  return parseLivingScope(scope) !== undefined;
}

function override(target: object, name: string, value: (...args: never[]) => unknown): void {
  if (!(name in target)) throw new Error(`The provider library has no ${name} any more.`);
  Object.defineProperty(target, name, { value, writable: true, configurable: true });
}

// The class that checks client records is there, but not in the library's types.
function schemaOf(provider: Provider): object {
  return (provider.Client as unknown as { Schema: { prototype: object } }).Schema.prototype;
}

/** Prefixes tell what a leaked secret is, and keep a token of one kind from being looked up as another. */
function nameTokens(provider: Provider, random: Random): void {
  const named = (prefix: string) => () => `${prefix}${Buffer.from(random.bytes(32)).toString('base64url')}`;
  for (const model of [provider.AccessToken, provider.ClientCredentials])
    override(model.prototype, 'generateTokenId', function (this: { format?: string }) {
      this.format = 'opaque';
      return newAccessToken(random);
    });
  override(provider.RefreshToken.prototype, 'generateTokenId', named('lk_rt_'));
  override(provider.AuthorizationCode.prototype, 'generateTokenId', named('lk_ac_'));
}

/** What the library can do, but does not take from its configuration. */
function openInside(provider: Provider): void {
  const { configuration, responseModes } = instance(provider);
  // response_type=token alone is not OpenID Connect.
  configuration.responseTypes.push('token');
  // There is no key yet that it could learn this from.
  configuration.idTokenSigningAlgValues = [signingAlg];
  // It would answer with a page that has a script in it.
  responseModes.delete('form_post');
}

function addGrantTypes(provider: Provider, services: Services): void {
  const ownToken = instance(provider).grantTypeHandlers.get('client_credentials');
  if (ownToken === undefined) throw new Error('The provider library has no client credentials.');
  provider.registerGrantType<{ scope?: string }>(
    'client_credentials',
    async (ctx) => {
      const scope = checkOwnScopes(ctx.oidc.client, ctx.oidc.params.scope);
      if (scope !== undefined) ctx.oidc.params.scope = scope;
      await ownToken(ctx);
    },
    ['scope'],
  );
  provider.registerGrantType('password', passwordGrant(provider, services), ['username', 'password', 'scope']);
}

function reportFaults(provider: Provider, services: Services): void {
  const log = services.log.for('oauth');
  const report = (error: unknown) => log.error('A request for a token failed unexpectedly.', { cause: error });
  provider.on('server_error', (_ctx, error) => report(error));
  // Without a listener of this name, which the library's types leave out, the framework below would print by itself.
  EventEmitter.prototype.on.call(provider, 'error', report);
  provider.use(async (ctx, next) => {
    try {
      await next();
    } catch (fault) {
      const error = asProtocolError(fault);
      const known = error instanceof errors.OIDCProviderError ? error : undefined;
      if (known === undefined) report(error);
      ctx.status = known?.statusCode ?? 500;
      ctx.body = {
        error: known?.error ?? 'server_error',
        error_description: known?.error_description ?? 'something went wrong on our side',
      };
    }
  });
}
