import { AppError, type ErrorDetail, events, findScope, isEventType, isOpenIdScope } from '@latchkey/kernel';
import { isAddressOrNetwork } from '../../shared/ip-addresses.ts';
import { type ClientApplicationCreate, type ClientType, clientTypes, type OauthSettings } from './client-app.ts';

/** Implicit and password expose credentials to the page (RFC 9700), so owners cannot enable them. */
export const ownerGrantTypes = ['authorization_code', 'client_credentials', 'refresh_token'] as const;
export const operatorGrantTypes = [...ownerGrantTypes, 'implicit', 'password'] as const;

/** The validated fields of an application: missing lists are empty, duplicates are removed. */
export interface ClientAppFields {
  name: string;
  email: string | null;
  feedback: string | null;
  url: string | null;
  icon: string | null;
  clientType: ClientType;
  redirectUris: string[];
  allowedGrantTypes: string[];
  allowedOrigins: string[];
  allowedReferrers: string[];
  allowedIpAddresses: string[];
  subscribeEvents: string[];
  webhookUrl: string | null;
}

/** Validates the body of an application. Throws VALIDATION_FAILED with every invalid field. */
export function checkFields(body: ClientApplicationCreate, grantTypes: readonly string[]): ClientAppFields {
  const problems = [
    ...checkOne('name', body.name ?? '', nameRule),
    ...checkOne('email', body.email, emailRule),
    ...checkOne('feedback', body.feedback, textRule),
    ...checkOne('url', body.url, pageUrlRule),
    ...checkOne('icon', body.icon, pageUrlRule),
    ...checkOne('clientType', body.clientType, oneOf(clientTypes)),
    ...checkOne('webhookUrl', body.webhookUrl, webhookUrlRule),
    ...checkEach('redirectUris', body.redirectUris, redirectUriRule),
    ...checkEach('allowedGrantTypes', body.allowedGrantTypes, oneOf(grantTypes)),
    ...checkEach('allowedOrigins', body.allowedOrigins, originRule),
    ...checkEach('allowedReferrers', body.allowedReferrers, referrerRule),
    ...checkEach('allowedIpAddresses', body.allowedIpAddresses, addressRule),
    ...checkEach('subscribeEvents', body.subscribeEvents, eventRule),
    ...checkReceiver(body),
  ];
  failOn(problems);
  return {
    name: (body.name ?? '').trim(),
    email: body.email ?? null,
    feedback: body.feedback ?? null,
    url: body.url ?? null,
    icon: body.icon ?? null,
    clientType: body.clientType ?? 'confidential',
    redirectUris: distinct(body.redirectUris),
    allowedGrantTypes: distinct(body.allowedGrantTypes),
    allowedOrigins: distinct(body.allowedOrigins),
    allowedReferrers: distinct(body.allowedReferrers),
    allowedIpAddresses: distinct(body.allowedIpAddresses),
    subscribeEvents: distinct(body.subscribeEvents),
    webhookUrl: body.webhookUrl ?? null,
  };
}

/** Validates only the name, for renaming. */
export function checkName(name: string): string {
  failOn(checkOne('name', name, nameRule));
  return name.trim();
}

/** Validates only the webhook. */
export function checkWebhook({ webhookUrl, subscribeEvents }: { webhookUrl: string; subscribeEvents?: string[] }) {
  failOn([
    ...checkOne('webhookUrl', webhookUrl, webhookUrlRule),
    ...checkEach('subscribeEvents', subscribeEvents, eventRule),
  ]);
  return { url: webhookUrl, subscribeEvents: subscribeEvents && distinct(subscribeEvents) };
}

/** Validates only the allowed origins and referrers. */
export function checkOrigins(body: { allowedOrigins: string[]; allowedReferrers?: string[] }) {
  failOn([
    ...checkEach('allowedOrigins', body.allowedOrigins, originRule),
    ...checkEach('allowedReferrers', body.allowedReferrers, referrerRule),
  ]);
  return {
    allowed_origins: distinct(body.allowedOrigins),
    ...(body.allowedReferrers !== undefined && { allowed_referrers: distinct(body.allowedReferrers) }),
  };
}

/** Validates only the redirect URIs. */
export function checkRedirectUris(redirectUris: string[]): string[] {
  failOn(checkEach('redirectUris', redirectUris, redirectUriRule));
  return distinct(redirectUris);
}

/** Validates the settings for OAuth2 and OpenID Connect. */
export function checkOauthSettings(settings: OauthSettings): void {
  failOn([
    ...checkEach('post_logout_redirect_uris', settings.post_logout_redirect_uris, redirectUriRule),
    ...checkOne('backchannel_logout_uri', settings.backchannel_logout_uri, checkTarget),
    ...checkOne('frontchannel_logout_uri', settings.frontchannel_logout_uri, checkTarget),
    ...checkOne('jwks_uri', settings.jwks_uri, checkTarget),
    ...checkKeys(settings),
    ...checkProfile(settings),
  ]);
}

/** Key types, with the members that their public halves need and those that no public key has. */
const keyTypes: Readonly<Record<string, { needs: readonly string[]; secret: readonly string[] }>> = {
  EC: { needs: ['crv', 'x', 'y'], secret: ['d'] },
  OKP: { needs: ['crv', 'x'], secret: ['d'] },
  RSA: { needs: ['n', 'e'], secret: ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'] },
};

function checkKeys({ jwks, jwks_uri, ...settings }: OauthSettings): ErrorDetail[] {
  if (jwks !== undefined && jwks_uri !== undefined)
    return [detail('/jwks_uri', 'Set either jwks or jwks_uri, not both.')];
  const signs =
    settings.token_endpoint_auth_method === 'private_key_jwt' ||
    settings.require_signed_request_object === true ||
    settings.request_object_signing_alg !== undefined;
  if (signs && jwks === undefined && jwks_uri === undefined)
    return [detail('/jwks', 'Set the public keys that the application signs with, in jwks or at jwks_uri.')];
  if (
    settings.token_endpoint_auth_signing_alg !== undefined &&
    settings.token_endpoint_auth_method !== 'private_key_jwt'
  )
    return [detail('/token_endpoint_auth_method', 'Set private_key_jwt: with a secret, nothing is signed.')];
  return (jwks?.keys ?? []).flatMap((key, index) => {
    const problem = findKeyProblem(key as Record<string, unknown>);
    return problem === undefined ? [] : [detail(`/jwks/keys/${index}`, problem)];
  });
}

function findKeyProblem(key: Record<string, unknown>): string | undefined {
  const { kty } = key;
  const type = typeof kty === 'string' && Object.hasOwn(keyTypes, kty) ? keyTypes[kty] : undefined;
  if (type === undefined) return 'Use a public key of the type EC, OKP or RSA.';
  if (type.secret.some((member) => key[member] !== undefined))
    return 'This is a private key. Replace it everywhere, and register only its public half.';
  const isText = (member: string) => typeof key[member] === 'string' && key[member] !== '';
  if (!type.needs.every(isText)) return `A key of the type ${kty} needs ${type.needs.join(', ')}.`;
  // PostgreSQL cannot store these in JSON.
  if (/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(key))) return 'Remove null characters and unpaired surrogates.';
  const extra = ['kid', 'alg', 'use'].find((member) => key[member] !== undefined && !isText(member));
  return extra === undefined ? undefined : `${extra} must be text.`;
}

/** What FAPI 2.0 demands of a registration. The rest is demanded of each request. */
function checkProfile(settings: OauthSettings): ErrorDetail[] {
  if (settings.security_profile === undefined) return [];
  return [
    ...(settings.token_endpoint_auth_method === 'private_key_jwt'
      ? []
      : [detail('/token_endpoint_auth_method', 'FAPI 2.0 needs private_key_jwt.')]),
    ...(settings.id_token_signed_response_alg === 'RS256'
      ? [detail('/id_token_signed_response_alg', 'FAPI 2.0 does not allow RS256.')]
      : []),
    ...(settings.authorization_signed_response_alg === 'RS256'
      ? [detail('/authorization_signed_response_alg', 'FAPI 2.0 does not allow RS256.')]
      : []),
  ];
}

/** Validates free text of the operator. */
export function checkText(field: string, value: string | undefined): string | null {
  failOn(checkOne(field, value, textRule));
  return value ?? null;
}

/** Maps scope names, including legacy and OpenID Connect ones, to known scopes. */
export function checkScopes(field: string, names: readonly string[] | undefined): string[] {
  const find = (name: string) => (isOpenIdScope(name) ? name : findScope(name));
  const known: Rule = (name) => (find(name) === undefined ? 'Unknown scope. GET /scopes lists them.' : undefined);
  failOn(checkEach(field, names, known));
  return distinct((names ?? []).flatMap((name) => find(name) ?? []));
}

function checkOne(field: string, value: string | undefined, rule: Rule): ErrorDetail[] {
  const problem = value === undefined ? undefined : rule(value);
  return problem === undefined ? [] : [detail(`/${field}`, problem)];
}

function checkEach(field: string, values: readonly string[] | undefined, rule: Rule): ErrorDetail[] {
  return (values ?? []).flatMap((value, index) => {
    const problem = rule(value);
    return problem === undefined ? [] : [detail(`/${field}/${index}`, problem)];
  });
}

function checkReceiver({ subscribeEvents, webhookUrl }: ClientApplicationCreate): ErrorDetail[] {
  if (webhookUrl !== undefined || (subscribeEvents ?? []).length === 0) return [];
  return [detail('/webhookUrl', 'Set the address that the subscribed events are sent to.')];
}

function detail(path: string, message: string): ErrorDetail {
  return { path, code: 'rule', message };
}

function failOn(problems: readonly ErrorDetail[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw new AppError('VALIDATION_FAILED', `The client application is invalid: ${first.path}: ${first.message}`, {
    details: problems,
  });
}

function distinct(values: readonly string[] = []): string[] {
  return [...new Set(values)];
}

/** Returns what is wrong with a value in one sentence, or undefined if it is valid. */
type Rule = (value: string) => string | undefined;

const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

// URL parsers tolerate tabs, backslashes and missing slashes, each in its own way. A URL that two parsers read
// differently can be checked as one and used as another, so only unambiguous ones are accepted.
export function parsePlainUrl(value: string): URL | undefined {
  if (!/^https?:\/\/[!-~]+$/i.test(value) || value.includes('\\')) return undefined;
  return URL.canParse(value) ? new URL(value) : undefined;
}

export function isSafeTransport(url: URL): boolean {
  return url.protocol === 'https:' || loopbackHosts.includes(url.hostname);
}

function hasUserInfo(url: URL): boolean {
  return url.username !== '' || url.password !== '';
}

const notAbsolute = 'Use an absolute address that starts with https:// and has no spaces or backslashes.';
const insecure = 'Use https; http is only allowed for this machine (localhost, 127.0.0.1, [::1]).';

/** A redirect URI or webhook: exact, and encrypted in transit. */
function checkTarget(value: string): string | undefined {
  const url = parsePlainUrl(value);
  if (url === undefined) return notAbsolute;
  if (!isSafeTransport(url)) return insecure;
  if (hasUserInfo(url)) return 'Remove the user name and password.';
  if (value.includes('#')) return 'Remove the fragment (#).';
  return undefined;
}

const redirectUriRule: Rule = (value) =>
  value.includes('*') ? 'Wildcards are not supported; list each address.' : checkTarget(value);

const webhookUrlRule: Rule = checkTarget;

const pageUrlRule: Rule = (value) => {
  const url = parsePlainUrl(value);
  if (url === undefined) return 'Use an absolute http or https address without spaces or backslashes.';
  return hasUserInfo(url) ? 'Remove the user name and password.' : undefined;
};

const referrerRule: Rule = (value) =>
  /[*#]/.test(value) ? 'Wildcards and fragments are not supported.' : pageUrlRule(value);

const originRule: Rule = (value) => {
  const url = parsePlainUrl(value);
  if (url?.origin === value && !value.includes('*')) return undefined;
  return 'Use a bare origin: only scheme, lower-case host and port, such as https://app.example.';
};

const addressRule: Rule = (value) =>
  isAddressOrNetwork(value) ? undefined : 'Use an IP address, or a network such as 192.0.2.0/24 or 2001:db8::/32.';

const emailRule: Rule = (value) =>
  /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,189}$/u.test(value)
    ? undefined
    : 'Use an e-mail address such as dev@app.example.';

const nameRule: Rule = (value) => {
  if (value.trim() === '' || value.length > 200) return 'Use a name of 1 to 200 characters.';
  return /\p{Cc}/u.test(value) ? 'Remove control characters from the name.' : undefined;
};

// PostgreSQL cannot store this character.
const textRule: Rule = (value) => (value.includes('\0') ? 'Remove the null character.' : undefined);

const eventRule: Rule = (value) =>
  isEventType(value) ? undefined : `Unknown event. Choose from ${Object.keys(events).join(', ')}.`;

/** Accepts one of several values. */
function oneOf(words: readonly string[]): Rule {
  return (value) => (words.includes(value) ? undefined : `Choose from ${words.join(', ')}.`);
}
