import { setTimeout as sleep } from 'node:timers/promises';
import { createRemoteJWKSet, jwtVerify, UnsecuredJWT } from 'jose';
import * as client from 'openid-client';
import type { RelyingParty, Tokens } from './relying-party.ts';

/** Throws an error if it fails; a returned text is a warning. */
export type Module = (rp: RelyingParty) => Promise<unknown>;

function must(isRight: unknown, sentence: string): asserts isRight {
  if (!isRight) throw new Error(sentence);
}

const subjectOf = (tokens: Tokens) => tokens.claims()?.sub ?? '';

async function userinfo(rp: RelyingParty, tokens: Tokens, init?: RequestInit): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const response = await fetch(rp.endpoint('userinfo_endpoint'), init ?? { headers });
  must(response.ok, `Userinfo answered ${response.status}.`);
  const claims = await response.json();
  must(claims.sub === subjectOf(tokens), 'Userinfo names another subject than the id token.');
  return claims;
}

/** A request with these parameters succeeds like any other. */
const succeedsWith =
  (parameters: Record<string, string>): Module =>
  async (rp) => {
    await userinfo(rp, await rp.logIn(parameters));
  };

/** The scopes are accepted; claims that the server does not have are a warning, as in the suite. */
const scope =
  (scopes: string, claims: readonly string[]): Module =>
  async (rp) => {
    const answered = await userinfo(rp, await rp.logIn({ scope: scopes }));
    const missing = claims.filter((claim) => answered[claim] === undefined);
    return missing.length === 0 ? undefined : `the server has no ${missing.join(', ')}`;
  };

async function refused(work: Promise<unknown>, error: string): Promise<void> {
  const answer = await work.then(
    () => undefined,
    (failure: { error?: string }) => failure,
  );
  must(answer !== undefined, 'It was accepted.');
  must(answer.error === error, `It was refused with ${answer.error} instead of ${error}.`);
}

const reuse =
  (pauseMs: number): Module =>
  async (rp) => {
    const answered = await rp.authorize();
    const tokens = await rp.exchange(answered);
    await sleep(pauseMs);
    await refused(rp.exchange(answered), 'invalid_grant');
    const { active } = await client.tokenIntrospection(rp.config, tokens.access_token);
    return active ? 'the first token still works' : undefined;
  };

/** A parameter that the server declares as unsupported is refused, not partly applied. */
const unsupported =
  (name: 'request' | 'request_uri', error: string, value: (rp: RelyingParty) => string): Module =>
  async (rp) => {
    const { url } = await rp.request();
    url.searchParams.set(name, value(rp));
    const shown = await rp.person.go(url.href, { until: 'http://localhost/' });
    const sent = `${shown.location}${shown.text}`;
    must(!/[?&]code=/.test(shown.location), 'A code was given.');
    must(sent.includes(error), `It was not refused with ${error}.`);
  };

const requestObject = (rp: RelyingParty) =>
  new UnsecuredJWT({ redirect_uri: 'http://localhost/back', scope: 'openid', state: 'inner' })
    .setIssuer(String(rp.config.clientMetadata().client_id))
    .setAudience(rp.config.serverMetadata().issuer)
    .encode();

/** The 38 module names of the OpenID Foundation's plan for Basic OPs, with their checks. */
export const modules: Readonly<Record<string, Module>> = {
  'oidcc-server': async (rp) => {
    const tokens = await rp.logIn();
    const claims = tokens.claims();
    must(claims?.iss === rp.config.serverMetadata().issuer, 'The issuer is another.');
    await userinfo(rp, tokens);
  },
  'oidcc-response-type-missing': async (rp) => {
    const { url } = await rp.request();
    url.searchParams.delete('response_type');
    const { location, text } = await rp.person.go(url.href, { until: 'http://localhost/' });
    must(!/[?&]code=/.test(location), 'A code was given.');
    must(/unsupported_response_type|invalid_request/.test(location + text), 'It was not refused.');
  },
  'oidcc-idtoken-signature': async (rp) => {
    const keys = createRemoteJWKSet(new URL(rp.endpoint('jwks_uri')));
    const { id_token = '' } = await rp.logIn();
    const { protectedHeader } = await jwtVerify(id_token, keys, { issuer: rp.config.serverMetadata().issuer });
    must(protectedHeader.kid !== undefined, 'The key is not named.');
    return protectedHeader.alg === 'RS256' ? undefined : `signed with ${protectedHeader.alg}, not RS256`;
  },
  'oidcc-idtoken-unsigned': async (rp) => {
    const algorithms = rp.config.serverMetadata().id_token_signing_alg_values_supported ?? [];
    must(!algorithms.includes('none'), 'Unsigned id tokens are offered.');
    const [header = ''] = ((await rp.logIn()).id_token ?? '').split('.');
    must(JSON.parse(Buffer.from(header, 'base64url').toString()).alg !== 'none', 'The id token is not signed.');
  },
  'oidcc-userinfo-get': async (rp) => void (await userinfo(rp, await rp.logIn())),
  'oidcc-userinfo-post-header': async (rp) => {
    const tokens = await rp.logIn();
    await userinfo(rp, tokens, { method: 'POST', headers: { authorization: `Bearer ${tokens.access_token}` } });
  },
  'oidcc-userinfo-post-body': async (rp) => {
    const tokens = await rp.logIn();
    const body = new URLSearchParams({ access_token: tokens.access_token });
    await userinfo(rp, tokens, { method: 'POST', body });
  },
  'oidcc-ensure-request-without-nonce-succeeds-for-code-flow': succeedsWith({ nonce: '' }),
  'oidcc-scope-profile': scope('openid profile', ['name']),
  'oidcc-scope-email': scope('openid email', ['email']),
  'oidcc-scope-address': scope('openid address', ['address']),
  'oidcc-scope-phone': scope('openid phone', ['phone_number']),
  'oidcc-scope-all': scope('openid profile email address phone', ['name', 'email', 'address', 'phone_number']),
  'oidcc-ensure-other-scope-order-succeeds': succeedsWith({ scope: 'profile openid' }),
  'oidcc-display-page': succeedsWith({ display: 'page' }),
  'oidcc-display-popup': succeedsWith({ display: 'popup' }),
  'oidcc-prompt-login': async (rp) => {
    const first = await rp.logIn();
    const { logins } = rp.person.requests;
    const second = await rp.logIn({ prompt: 'login' });
    must(rp.person.requests.logins > logins, 'The person was not requests to log in again.');
    must(subjectOf(first) === subjectOf(second), 'It is another subject now.');
  },
  'oidcc-prompt-none-not-logged-in': async (rp) => {
    const { back } = await rp.withStranger().authorize({ prompt: 'none' });
    must(back.searchParams.get('error') === 'login_required', `It answered ${back.searchParams.get('error')}.`);
  },
  'oidcc-prompt-none-logged-in': async (rp) => {
    const first = await rp.logIn();
    const { logins } = rp.person.requests;
    const second = await rp.logIn({ prompt: 'none' });
    must(rp.person.requests.logins === logins, 'The person was requests to log in.');
    must(subjectOf(first) === subjectOf(second), 'It is another subject now.');
  },
  'oidcc-max-age-1': async (rp) => {
    await rp.logIn();
    await sleep(2_500);
    const { logins } = rp.person.requests;
    const claims = (await rp.logIn({ max_age: '1' })).claims();
    must(rp.person.requests.logins > logins, 'The person was not requests to log in again.');
    must(typeof claims?.auth_time === 'number', 'The id token says nothing of when it was.');
  },
  'oidcc-max-age-10000': async (rp) => {
    await rp.logIn();
    const { logins } = rp.person.requests;
    const claims = (await rp.logIn({ max_age: '10000' })).claims();
    must(rp.person.requests.logins === logins, 'The person was requests to log in.');
    must(typeof claims?.auth_time === 'number', 'The id token says nothing of when it was.');
  },
  'oidcc-ensure-request-with-unknown-parameter-succeeds': succeedsWith({ extra: 'foobar' }),
  'oidcc-id-token-hint': async (rp) => {
    const first = await rp.logIn();
    const second = await rp.logIn({ prompt: 'none', id_token_hint: first.id_token ?? '' });
    must(subjectOf(first) === subjectOf(second), 'It is another subject now.');
  },
  'oidcc-login-hint': succeedsWith({ login_hint: 'somebody@example.com' }),
  'oidcc-ui-locales': succeedsWith({ ui_locales: 'se' }),
  'oidcc-claims-locales': succeedsWith({ claims_locales: 'se' }),
  'oidcc-ensure-request-with-acr-values-succeeds': succeedsWith({ acr_values: '1 2' }),
  'oidcc-codereuse': reuse(0),
  'oidcc-codereuse-30seconds': reuse(30_000),
  'oidcc-ensure-registered-redirect-uri': async (rp) => {
    const { url } = await rp.request({ redirect_uri: 'http://localhost/back/unregistered' });
    const { location, status } = await rp.person.go(url.href, { until: 'http://localhost/' });
    must(location === '' && status >= 400, 'The browser was sent to an address that is not registered.');
  },
  'oidcc-ensure-post-request-succeeds': async (rp) => {
    const { url } = await rp.request();
    const body = url.searchParams.toString();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const where = rp.endpoint('authorization_endpoint');
    const { status } = await fetch(where, { method: 'POST', headers, body, redirect: 'manual' });
    must(status === 302 || status === 303, `A request by POST was answered with ${status}.`);
  },
  'oidcc-server-client-secret-post': async (rp) => {
    const other = await rp.withSecretInBody();
    await userinfo(other, await other.logIn());
  },
  'oidcc-request-uri-unsigned': unsupported(
    'request_uri',
    'request_uri_not_supported',
    () => 'https://client.example/request.jwt',
  ),
  'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported': unsupported(
    'request',
    'request_not_supported',
    requestObject,
  ),
  'oidcc-claims-essential': async (rp) => {
    const claims = JSON.stringify({ userinfo: { name: { essential: true } } });
    const answered = await userinfo(rp, await rp.logIn({ claims }));
    return answered.name === undefined ? 'the claim was not answered' : undefined;
  },
  'oidcc-ensure-request-object-with-redirect-uri': unsupported('request', 'request_not_supported', requestObject),
  'oidcc-refresh-token': async (rp) => {
    const first = await rp.logIn({ scope: 'openid offline_access', prompt: 'consent' });
    must(first.refresh_token !== undefined, 'No refresh token was given.');
    const second = await client.refreshTokenGrant(rp.config, first.refresh_token);
    must(second.access_token !== first.access_token, 'The access token is the same.');
    must(second.claims() === undefined || subjectOf(first) === second.claims()?.sub, 'It is another subject now.');
    await refused(client.refreshTokenGrant(rp.config, first.refresh_token), 'invalid_grant');
  },
  'oidcc-ensure-request-with-valid-pkce-succeeds': succeedsWith({}),
};
