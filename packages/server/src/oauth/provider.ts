import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import {
  burnNonce,
  canonicalScopes,
  claimsOf,
  findForbiddenScope,
  isClientSecret,
  isLinkedTo,
  isRegistered,
  lifetimes,
  newAccessToken,
  noteAuthorization,
  parseLivingScope,
  rememberAccount,
  type Services,
  signingAlgs,
  sortScopes,
  useUpAeToken,
} from '@latchkey/core';
import { hashSecret } from '@latchkey/db';
import { AppError, type Random } from '@latchkey/kernel';
import type { Middleware } from 'koa';
import Provider, { type Client, errors, type KoaContextWithOIDC, type TokenEndpointGrantContext } from 'oidc-provider';
import instance from 'oidc-provider/lib/helpers/weak_cache.js';
import { readableByPages } from '../http/cors.ts';
import { clientOf, isFapi2 } from './client.ts';
import { configure, paths } from './configuration.ts';
import { createGrant } from './grants.ts';
import { limitOfContext, limitToContext } from './login-limit.ts';
import { checkOwnScopes, checkResource, refusedScope } from './policy.ts';
import { asProtocolError } from './protocol-error.ts';
import { renderFormPost, renderLogout, renderSignedOut } from './render-pages.ts';

/** Creates the provider library on our tables and rules. */
export function createProvider(services: Services): Provider {
  const { strictOauth: isStrict } = services.settings;
  const provider = new Provider(services.settings.baseUrl, configure(services));
  // Our own address is known, and overwrites the proxy headers of requests.
  provider.proxy = true;
  reportFaults(provider, services);
  provider.use(openToPages);
  provider.use(redirectAsPublished);
  provider.use(askBeforeLogout);
  provider.use(signOutInFrames);
  provider.use(typeRevocations);
  provider.use(nameForbiddenGrants);
  provider.use(normalizeRequest(paths.authorize));
  if (isStrict !== true) provider.use(hashPlainChallenge(provider, paths.authorize));
  decideByOurRules(provider, isStrict === true);
  nameTokens(provider, services.random);
  openInside(provider);
  addGrantTypes(provider, services);
  rememberProofs(provider, services);
  checkResources(provider, services);
  return provider;
}

const routesForPages: readonly string[] = [
  'token',
  'introspection',
  'revocation',
  'userinfo',
  'pushed_authorization_request',
];

/** Lets pages read error responses, which the provider would block. */
async function openToPages(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  try {
    await next();
  } finally {
    if (routesForPages.includes(ctx.oidc?.route)) ctx.set(readableByPages);
  }
}

/**
 * RFC 6749, 5.2: an application that may not use the grant type it asks for is an unauthorized client. The provider calls
 * that an invalid request.
 */
async function nameForbiddenGrants(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  const { oidc, body } = ctx;
  const grantType = oidc?.params?.grant_type;
  if (oidc?.route !== 'token' || oidc.client === undefined || typeof grantType !== 'string') return;
  if (isInvalidRequest(body) && !oidc.client.grantTypeAllowed(grantType))
    ctx.body = { ...body, error: 'unauthorized_client' };
}

function isInvalidRequest(body: unknown): body is { error: string } {
  return typeof body === 'object' && body !== null && 'error' in body && body.error === 'invalid_request';
}

// The provider offers no other way to change these decisions than overriding the methods that make them.
function decideByOurRules(provider: Provider, isStrict: boolean): void {
  override(provider.Client.prototype, 'redirectUriAllowed', function (this: Client, uri: string) {
    if (isFapi2(this)) return clientOf(this).redirectUris.includes(uri);
    return isRegistered(clientOf(this), uri, isStrict);
  });
  // An application's page is registered with it, and many send users there after signing out.
  override(provider.Client.prototype, 'postLogoutRedirectUriAllowed', function (this: Client, uri: string) {
    const { url, settings } = clientOf(this);
    const listed = [...(settings.post_logout_redirect_uris ?? []), ...(url === undefined ? [] : [url])];
    return listed.includes(uri) || isRegistered(clientOf(this), uri, isStrict);
  });
  override(provider.Client.prototype, 'includeSid', function (this: Client) {
    const { settings } = clientOf(this);
    const isForBack = settings.backchannel_logout_uri && settings.backchannel_logout_session_required;
    const isForFront = settings.frontchannel_logout_uri && settings.frontchannel_logout_session_required;
    return Boolean(isForBack || isForFront);
  });
  override(provider.Client.prototype, 'compareClientSecret', function (this: Client, secret: string) {
    return isClientSecret(this.clientSecret ?? '', secret);
  });
  // URIs are checked when an application is registered, by rules that contradict the provider's own.
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
  if (!(name in target)) throw new Error(`The provider library no longer has ${name}.`);
  Object.defineProperty(target, name, { value, writable: true, configurable: true });
}

// The class that checks client records exists, but is missing in the library's types.
function schemaOf(provider: Provider): object {
  return (provider.Client as unknown as { Schema: { prototype: object } }).Schema.prototype;
}

/** Prefixes show what a leaked secret is, and prevent that a token of one type is looked up as another. */
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

/** Features of the library that it does not read from its configuration. */
function openInside(provider: Provider): void {
  const { configuration, responseModes } = instance(provider);
  configuration.authorizationSigningAlgValues = [...signingAlgs];
  // response_type=token alone is not OpenID Connect.
  configuration.responseTypes.push('token');
  // There is no key yet to derive this from.
  configuration.idTokenSigningAlgValues = [...signingAlgs];
  // Its own page contains a script that our content security policy blocks.
  responseModes.set('form_post', renderFormPost);
  responseModes.set('form_post.jwt', (ctx, redirectUri, out) => signFormPost(provider, ctx, redirectUri, out));
}

/** Refuses token requests for other resources. The library would ignore the parameter. */
function checkResources(provider: Provider, { settings }: Services): void {
  const { grantTypeHandlers } = instance(provider);
  for (const [grantType, handle] of grantTypeHandlers)
    grantTypeHandlers.set(grantType, async (ctx) => {
      checkResource(settings.baseUrl, ctx.oidc.body?.resource);
      await handle(ctx);
    });
}

async function signFormPost(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  redirectUri: string,
  out: Record<string, unknown>,
): Promise<void> {
  const token = Object.assign(new provider.IdToken({}, { ctx }), { extra: out });
  await renderFormPost(ctx, redirectUri, { response: await token.issue({ use: 'authorization' }) });
}

/** The longest that a client assertion may be valid for, so that those that were used are not kept for longer. */
const maxAssertionSeconds = 3600;

/** Accepts each client assertion and DPoP proof once, by one conditional insert: the library reads and then writes. */
function rememberProofs(provider: Provider, { db, clock }: Services): void {
  override(provider.ReplayDetection, 'unique', async (issuer: string, jti: string, expires: number) => {
    if (expires * 1000 > clock().getTime() + (maxAssertionSeconds + 60) * 1000)
      throw new errors.InvalidClientAuth('the assertion may be valid for an hour at most');
    return burnNonce(db.system, hashSecret(`oauth-proof:${issuer}:${jti}`), new Date(expires * 1000));
  });
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
  provider.on('backchannel.error', (_ctx, error, client) =>
    log.warn('An application did not accept a logout token.', { clientId: client.clientId, reason: String(error) }),
  );
  // Without a listener of this name, which the library's types leave out, the underlying framework would print errors
  // itself.
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

/** Scopes may arrive with commas and old names, or not at all; normalize them for the provider. */
function normalizeRequest(authorizePath: string): Middleware {
  return (ctx, next) => {
    const { scope } = ctx.query;
    if (ctx.path === authorizePath && (scope === undefined || typeof scope === 'string')) {
      const scopes = canonicalScopes(scope ?? '');
      ctx.query = { ...ctx.query, scope: scopes.length === 0 ? 'openid' : scopes.join(' ') };
    }
    return next();
  };
}

type Next = () => Promise<void>;

/** A user who is not signed in is asked like any other; the provider would submit a form by script instead. */
async function askBeforeLogout(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next();
  if (ctx.oidc?.route === 'end_session' && typeof ctx.body === 'string') renderLogout(ctx, ctx.body);
}

/** What a browser loads at most when it signs out. */
const maxFrames = 20;

/**
 * OpenID Connect Front-Channel Logout, which the library does not have: the page that is shown after signing out loads
 * the logout pages of the applications of this session in frames.
 */
async function signOutInFrames(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next();
  const { route, session, provider, params } = ctx.oidc ?? {};
  const location = ctx.response.get('location');
  if (route !== 'end_session_confirm' || params?.logout === undefined || session === undefined || location === '')
    return;
  const frames: string[] = [];
  for (const clientId of Object.keys(session.authorizations ?? {})) {
    const client = await provider.Client.find(clientId);
    const { frontchannel_logout_uri: uri, frontchannel_logout_session_required: isBound } =
      client === undefined ? {} : clientOf(client).settings;
    if (uri === undefined) continue;
    const address = new URL(uri);
    const sid = session.sidFor(clientId);
    if (isBound === true && sid !== undefined) {
      address.searchParams.set('iss', provider.issuer);
      address.searchParams.set('sid', sid);
    }
    frames.push(address.href);
  }
  if (frames.length > 0) renderSignedOut(ctx, frames.slice(0, maxFrames), location);
}

/** The provider redirects with 303, the published API with 302. Browsers follow either with GET. */
async function redirectAsPublished(ctx: { status: number }, next: Next): Promise<void> {
  await next();
  if (ctx.status === 303) ctx.status = 302;
}

/** Some clients, such as simple-oauth2, reject responses without a JSON type, even the empty one of RFC 7009. */
async function typeRevocations(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next();
  if (ctx.oidc?.route === 'revocation' && ctx.body === '') ctx.type = 'json';
}

/** The format of a challenge in RFC 7636 4.2. */
const challengeForm = /^[\w.~-]{43,128}$/;

/**
 * Lets confidential applications use the `plain` challenge, which is also the default without a method (RFC 7636 4.3).
 * It is hashed here, so that the provider only compares and stores S256. Public applications may not use it: anyone who
 * reads the URL in the browser would have the verifier, and nothing else proves who exchanges the code.
 */
function hashPlainChallenge(provider: Provider, authorizePath: string): Middleware {
  return async (ctx, next) => {
    const { client_id: clientId, code_challenge: challenge, code_challenge_method: method = 'plain' } = ctx.query;
    const isPlain = ctx.path === authorizePath && method === 'plain' && typeof challenge === 'string';
    if (isPlain && typeof clientId === 'string' && (await isConfidential(provider, clientId)))
      ctx.query = {
        ...ctx.query,
        // One with another shape is left unchanged, for the provider to report the error.
        code_challenge: challengeForm.test(challenge)
          ? createHash('sha256').update(challenge).digest('base64url')
          : challenge,
        code_challenge_method: 'S256',
      };
    return next();
  };
}

async function isConfidential(provider: Provider, clientId: string): Promise<boolean> {
  const client = await provider.Client.find(clientId);
  return client !== undefined && client.clientAuthMethod !== 'none';
}

interface PasswordParams {
  username?: string;
  password?: string;
  scope?: string;
}

/**
 * Users have no passwords here. The password is an AE token, the proof of a login by wallet or passkey: it is valid for
 * an hour at most, and this consumes it.
 */
function passwordGrant(provider: Provider, services: Services) {
  return async (ctx: TokenEndpointGrantContext<PasswordParams>): Promise<void> => {
    const { client, params } = ctx.oidc;
    const requested = canonicalScopes(params.scope ?? 'openid');
    const forbidden = findForbiddenScope(clientOf(client), requested);
    if (forbidden !== undefined) throw refusedScope(forbidden);
    const user = await logIn(services, params);
    await rememberAccount(services, user);
    const { userId } = user;
    const limit = limitOfContext(limitToContext(user.scopes));
    const { open } = await sortScopes(services, userId, requested, limit);
    const { id: grantId, grant } = await createGrant(provider, {
      userId,
      client: clientOf(client),
      requested,
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
  throw new errors.InvalidGrant('the username or password is wrong');
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
  /** The user's claims that the scopes allow. */
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
  // The library's types leave out the property it filters claims by.
  const token = Object.assign(new provider.IdToken(claims, { ctx }), { scope });
  return token.issue({ use: 'idtoken' });
}
