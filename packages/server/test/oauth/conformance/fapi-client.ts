import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import {
  type CryptoKey,
  calculateJwkThumbprint,
  createRemoteJWKSet,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import * as oauth from 'oauth4webapi';
import type { TestServer } from '../../harness/test-server.ts';
import { authorize, type Browser, type Decision, openBrowser } from '../browser.ts';
import { challengeOf, type Fields, newVerifier } from '../flow.ts';
import { registerClient } from '../sample-client.ts';
import { setOauthSettings } from './oauth-settings.ts';
import { insecure } from './relying-party.ts';

export interface Key {
  alg: string;
  privateKey: CryptoKey;
  jwk: JWK;
}

export async function newKey(alg = 'ES256'): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair(alg);
  const jwk = await exportJWK(publicKey);
  return { alg, privateKey, jwk: { ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: 'sig' } };
}

export const thumbprintOf = (key: Key) => calculateJwkThumbprint(key.jwk);

/** What a test changes about one request; undefined claims are left out. */
export interface Changes {
  /** Claims of the client assertion. */
  assertion?: Record<string, unknown>;
  assertionKey?: Key;
  /** Claims of the DPoP proof; null sends none. */
  proof?: Record<string, unknown> | null;
  proofKey?: Key;
  /** Members of the proof's header. */
  proofHeader?: Record<string, unknown>;
  headers?: Record<string, string>;
  method?: string;
}

interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test states the shape it expects in its assertion.
  json: any;
}

interface Pushed {
  requestUri: string;
  verifier: string;
  state: string | undefined;
  nonce: string | undefined;
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const now = () => Math.floor(Date.now() / 1000);

/** A client of the FAPI 2.0 Security Profile: private_key_jwt, DPoP and pushed requests, signed by jose. */
export class FapiClient {
  readonly id: string;
  readonly redirectUri: string;
  readonly as: oauth.AuthorizationServer;
  readonly key: Key;
  dpopKey: Key;
  browser: Browser;
  private readonly server: TestServer;
  private readonly signs: boolean;
  private nonce: string | undefined;

  private constructor(
    server: TestServer,
    own: { id: string; redirectUri: string; as: oauth.AuthorizationServer; key: Key; dpopKey: Key; signs: boolean },
  ) {
    this.server = server;
    this.id = own.id;
    this.redirectUri = own.redirectUri;
    this.as = own.as;
    this.key = own.key;
    this.dpopKey = own.dpopKey;
    this.signs = own.signs;
    this.browser = openBrowser(server);
  }

  /** `signs`: sends its requests as signed request objects (message signing). */
  static async register(server: TestServer, { signs = false } = {}): Promise<FapiClient> {
    const sample = await registerClient(server, { redirectUris: ['https://rp.example/fapi'] });
    const key = await newKey();
    await setOauthSettings(server, sample, {
      security_profile: 'fapi2',
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [key.jwk] },
      ...(signs && { require_signed_request_object: true }),
    });
    const issuer = new URL(server.url);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    return new FapiClient(server, { ...sample, as, key, dpopKey: await newKey(), signs });
  }

  assertion(claims: Record<string, unknown> = {}, key = this.key): Promise<string> {
    const usual = {
      iss: this.id,
      sub: this.id,
      aud: this.as.issuer,
      jti: randomUUID(),
      iat: now(),
      nbf: now(),
      exp: now() + 60,
    };
    return sign({ ...usual, ...claims }, key);
  }

  requestObject(parameters: Record<string, unknown>, claims: Record<string, unknown> = {}, key = this.key) {
    const usual = { iss: this.id, aud: this.as.issuer, iat: now(), nbf: now(), exp: now() + 300 };
    return sign({ ...usual, ...parameters, ...claims }, key, { typ: 'oauth-authz-req+jwt' });
  }

  proof(
    method: string,
    url: string,
    { proof = {}, proofKey = this.dpopKey, proofHeader = {} }: Changes,
    token?: string,
  ): Promise<string> {
    const { kid: _, use: __, alg: ___, ...jwk } = proofKey.jwk;
    const claims = {
      jti: randomUUID(),
      htm: method,
      htu: url,
      iat: now(),
      nonce: this.nonce,
      ...(token !== undefined && { ath: createHash('sha256').update(token).digest('base64url') }),
      ...proof,
    };
    return sign(claims, proofKey, { typ: 'dpop+jwt', jwk, kid: undefined, ...proofHeader });
  }

  /** Posts a form with an assertion and a proof; sends it again if the server asks for a nonce. */
  async post(url: string, fields: Fields, changes: Changes = {}): Promise<Answer> {
    const method = changes.method ?? 'POST';
    for (let attempt = 0; ; attempt += 1) {
      const assertion =
        'client_assertion' in fields
          ? {}
          : { client_assertion: await this.assertion(changes.assertion, changes.assertionKey) };
      const given = { client_assertion_type: assertionType, ...assertion, ...fields };
      const body = new URLSearchParams(
        Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      );
      const headers: Record<string, string> = { ...changes.headers };
      if (changes.proof !== null) headers.dpop = await this.proof(method, url, changes);
      const response = await fetch(url, { method, headers, ...(method === 'POST' && { body }) });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      const answer = {
        status: response.status,
        headers: response.headers,
        json: isJson && text !== '' ? JSON.parse(text) : undefined,
      };
      this.nonce = response.headers.get('dpop-nonce') ?? this.nonce;
      if (answer.json?.error !== 'use_dpop_nonce' || attempt > 0) return answer;
    }
  }

  /** Pushes a request; undefined fields are left out. */
  async push(
    fields: Fields = {},
    changes: Changes & { object?: (parameters: Record<string, unknown>) => Promise<string> } = {},
  ): Promise<Answer & Omit<Pushed, 'requestUri'>> {
    const verifier = newVerifier();
    const parameters: Fields = {
      client_id: this.id,
      response_type: 'code',
      redirect_uri: this.redirectUri,
      scope: 'openid user:read',
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
      ...fields,
    };
    const { object = this.signs ? (all: Record<string, unknown>) => this.requestObject(all) : undefined } = changes;
    const sent: Fields =
      object === undefined ? parameters : { client_id: this.id, request: await object({ ...parameters }) };
    const url = String(this.as.pushed_authorization_request_endpoint);
    const answer = await this.post(url, sent, changes);
    return { ...answer, verifier, state: parameters.state, nonce: parameters.nonce };
  }

  async pushed(fields: Fields = {}, changes: Parameters<FapiClient['push']>[1] = {}): Promise<Pushed> {
    const { status, json, verifier, state, nonce } = await this.push(fields, changes);
    assert.equal(status, 201, JSON.stringify(json));
    return { requestUri: json.request_uri, verifier, state, nonce };
  }

  addressOf(requestUri: string, fields: Fields = {}): string {
    const given = { client_id: this.id, request_uri: requestUri, ...fields };
    const query = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    return `${this.as.authorization_endpoint}?${new URLSearchParams(query)}`;
  }

  /** Sends the user with a pushed request, and returns where they come back. */
  async authorize({ requestUri }: Pushed, fields: Fields = {}, decision: Decision = {}): Promise<URL> {
    return authorize(this.server, this.browser, this.addressOf(requestUri, fields), { remember: true, ...decision });
  }

  token(fields: Fields, changes: Changes = {}): Promise<Answer> {
    return this.post(String(this.as.token_endpoint), fields, changes);
  }

  exchange(code: string | null, { verifier }: Pick<Pushed, 'verifier'>, fields: Fields = {}, changes: Changes = {}) {
    const usual = {
      grant_type: 'authorization_code',
      code: code ?? '',
      redirect_uri: this.redirectUri,
      code_verifier: verifier,
    };
    return this.token({ ...usual, ...fields }, changes);
  }

  /** From a pushed request to a code. */
  async getCode(fields: Fields = {}, changes: Changes = {}): Promise<{ code: string; pushed: Pushed; back: URL }> {
    const pushed = await this.pushed(fields, changes);
    const back = await this.authorize(pushed);
    const code = back.searchParams.get('code');
    assert.ok(code, back.href);
    return { code, pushed, back };
  }

  async logIn(fields: Fields = {}): Promise<{ access_token: string; refresh_token: string; id_token: string }> {
    const { code, pushed } = await this.getCode(fields);
    const { status, json } = await this.exchange(code, pushed);
    assert.equal(status, 200, JSON.stringify(json));
    assert.equal(json.token_type, 'DPoP');
    return json;
  }

  /** Calls a resource with a token and a proof of the key. */
  async call(
    path: string,
    token: string,
    { scheme = 'DPoP', ...changes }: Changes & { scheme?: string } = {},
  ): Promise<Answer> {
    const url = `${this.as.issuer}${path}`;
    const [target = ''] = url.split('?');
    for (let attempt = 0; ; attempt += 1) {
      const headers: Record<string, string> = { authorization: `${scheme} ${token}`, ...changes.headers };
      if (changes.proof !== null && headers.dpop === undefined)
        headers.dpop = await this.proof('GET', target, changes, token);
      const response = await fetch(url, { headers });
      const text = await response.text();
      this.nonce = response.headers.get('dpop-nonce') ?? this.nonce;
      const answer = {
        status: response.status,
        headers: response.headers,
        json: text === '' ? undefined : JSON.parse(text),
      };
      if (answer.json?.error !== 'use_dpop_nonce' || attempt > 0) return answer;
    }
  }

  async verifyIdToken(token: string, nonce: string | undefined): Promise<JWTPayload> {
    const keys = createRemoteJWKSet(new URL(String(this.as.jwks_uri)));
    const { payload } = await jwtVerify(token, keys, {
      issuer: this.as.issuer,
      audience: this.id,
      algorithms: ['ES256'],
    });
    assert.equal(payload.nonce, nonce);
    return payload;
  }
}

function sign(claims: Record<string, unknown>, { alg, privateKey, jwk }: Key, header: Record<string, unknown> = {}) {
  const present = Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== undefined));
  return new SignJWT(present).setProtectedHeader({ alg, kid: jwk.kid ?? '', ...header }).sign(privateKey);
}
