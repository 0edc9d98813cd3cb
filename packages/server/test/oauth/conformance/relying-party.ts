import assert from 'node:assert/strict';
import * as oauth from 'oauth4webapi';
import type { TestServer } from '../../harness/test-server.ts';
import { authorize, type Browser, type Decision, openBrowser } from '../browser.ts';
import type { SampleClient } from '../sample-client.ts';

// The test server has no certificate.
export const insecure = { [oauth.allowInsecureRequests]: true } as const;

export interface Tokens {
  access_token: string;
  refresh_token: string | undefined;
  id_token: string;
  claims: oauth.IDToken;
}

type Fields = Record<string, string | undefined>;

/** What came back from an authorization request, with what is needed to use it. */
interface Answered {
  back: URL;
  state: string;
  nonce: string | undefined;
  verifier: string | undefined;
}

/** A client that is not ours (oauth4webapi), as the OpenID Foundation's suite uses one: it checks every response. */
export class RelyingParty {
  readonly as: oauth.AuthorizationServer;
  readonly client: oauth.Client;
  private readonly server: TestServer;
  private readonly sample: SampleClient;
  private readonly mode: 'form_post' | undefined;
  browser: Browser;

  private constructor(
    server: TestServer,
    sample: SampleClient,
    as: oauth.AuthorizationServer,
    mode: 'form_post' | undefined,
  ) {
    this.server = server;
    this.sample = sample;
    this.as = as;
    this.mode = mode;
    this.client = { client_id: sample.id };
    this.browser = openBrowser(server);
  }

  static async discover(server: TestServer, sample: SampleClient, mode?: 'form_post'): Promise<RelyingParty> {
    const issuer = new URL(server.url);
    const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    return new RelyingParty(server, sample, as, mode);
  }

  /** The same client with a browser that is not signed in. */
  withStranger(): RelyingParty {
    return new RelyingParty(this.server, this.sample, this.as, this.mode);
  }

  get redirectUri(): string {
    return this.sample.redirectUri;
  }

  /** The parameters of a usual request; undefined ones are left out. PKCE is only sent where a module sends it. */
  request(fields: Fields = {}): URL {
    const address = new URL(this.as.authorization_endpoint ?? '');
    const parameters: Fields = {
      client_id: this.sample.id,
      redirect_uri: this.sample.redirectUri,
      scope: 'openid',
      response_type: 'code',
      response_mode: this.mode,
      state: oauth.generateRandomState(),
      nonce: oauth.generateRandomNonce(),
      ...fields,
    };
    for (const [name, value] of Object.entries(parameters))
      if (value !== undefined) address.searchParams.set(name, value);
    return address;
  }

  async authorize(fields: Fields = {}, decision: Decision = {}): Promise<Answered> {
    const verifier = fields.code_challenge === 'S256' ? oauth.generateRandomCodeVerifier() : undefined;
    const challenge =
      verifier === undefined
        ? {}
        : { code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' };
    const address = this.request({ ...fields, ...challenge });
    const back = await authorize(this.server, this.browser, address.href, { remember: true, ...decision });
    const [state, nonce] = ['state', 'nonce'].map((name) => address.searchParams.get(name) ?? undefined);
    return { back, state: state ?? '', nonce, verifier };
  }

  async exchange({ back, state, nonce, verifier }: Answered, by: 'basic' | 'post' = 'basic'): Promise<Tokens> {
    const { as, client, sample } = this;
    const proof = (by === 'basic' ? oauth.ClientSecretBasic : oauth.ClientSecretPost)(sample.secret ?? '');
    const params = oauth.validateAuthResponse(as, client, back, state);
    const answer = await oauth.authorizationCodeGrantRequest(
      ...([as, client, proof, params, sample.redirectUri, verifier ?? oauth.nopkce, insecure] as const),
    );
    const tokens = await oauth.processAuthorizationCodeResponse(as, client, answer, {
      expectedNonce: nonce ?? oauth.expectNoNonce,
      requireIdToken: true,
    });
    // With the published keys.
    await oauth.validateApplicationLevelSignature(as, answer, insecure);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    assert.ok(claims);
    return { ...tokens, refresh_token: tokens.refresh_token, id_token: String(tokens.id_token), claims };
  }

  async logIn(fields: Fields = {}, decision: Decision = {}): Promise<Tokens> {
    return this.exchange(await this.authorize(fields, decision));
  }

  async userinfo({ access_token, claims }: Tokens): Promise<oauth.UserInfoResponse> {
    const { as, client } = this;
    const answer = await oauth.userInfoRequest(as, client, access_token, insecure);
    return oauth.processUserInfoResponse(as, client, claims.sub, answer);
  }

  async refresh(refreshToken: string): Promise<Response> {
    const proof = oauth.ClientSecretBasic(this.sample.secret ?? '');
    return oauth.refreshTokenGrantRequest(this.as, this.client, proof, refreshToken, insecure);
  }

  async isActive(token: string): Promise<boolean> {
    const proof = oauth.ClientSecretBasic(this.sample.secret ?? '');
    const answer = await oauth.introspectionRequest(this.as, this.client, proof, token, insecure);
    return (await oauth.processIntrospectionResponse(this.as, this.client, answer)).active;
  }
}
