import * as client from 'openid-client';
import { Person, type Visit } from './person.ts';

export interface RelyingPartyOptions {
  url: string;
  redirectUri: string;
  id: string;
  clientSecret: string;
}

/** The parameters that an application sent, and the redirect URL that came back. */
export interface Answered {
  back: URL;
  verifier: string;
  nonce: string | undefined;
  state: string;
}

export type Tokens = Awaited<ReturnType<typeof client.authorizationCodeGrant>>;

type Parameters = Record<string, string>;

/** An application that uses openid-client, and a user who signs in to it. */
export class RelyingParty {
  readonly #options: RelyingPartyOptions;
  readonly config: client.Configuration;
  person: Person;

  constructor(options: RelyingPartyOptions, config: client.Configuration, person: Person) {
    this.#options = options;
    this.config = config;
    this.person = person;
  }

  static async discover(
    options: RelyingPartyOptions,
    person: Person,
    authenticate = client.ClientSecretBasic,
  ): Promise<RelyingParty> {
    const { url, id, clientSecret } = options;
    const config = await client.discovery(new URL(url), id, undefined, authenticate(clientSecret), {
      execute: [client.allowInsecureRequests],
    });
    return new RelyingParty(options, config, person);
  }

  /** Returns the URL of a request. Empty parameters are omitted, including defaults. */
  async request(parameters: Parameters = {}): Promise<{ url: URL } & Omit<Answered, 'back'>> {
    const verifier = client.randomPKCECodeVerifier();
    const all: Parameters = {
      redirect_uri: this.#options.redirectUri,
      scope: 'openid',
      state: client.randomState(),
      nonce: client.randomNonce(),
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...parameters,
    };
    const url = client.buildAuthorizationUrl(this.config, all);
    for (const [name, value] of Object.entries(all)) if (value === '') url.searchParams.delete(name);
    return { url, verifier, nonce: all.nonce === '' ? undefined : all.nonce, state: all.state ?? '' };
  }

  /** Sends the user there and returns the result of the redirect. */
  async authorize(parameters?: Parameters, visit?: Visit): Promise<Answered> {
    const { url, ...kept } = await this.request(parameters);
    const { redirectUri } = this.#options;
    const shown = await this.person.go(url.href, { ...visit, until: redirectUri });
    if (!shown.location.startsWith(redirectUri))
      throw new Error(`It ended at ${new URL(shown.url).pathname} with ${shown.status}.`);
    return { back: new URL(shown.location), ...kept };
  }

  exchange({ back, verifier, nonce, state }: Answered): Promise<Tokens> {
    return client.authorizationCodeGrant(this.config, back, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      ...(nonce !== undefined && { expectedNonce: nonce }),
      idTokenExpected: true,
    });
  }

  async logIn(parameters?: Parameters): Promise<Tokens> {
    return this.exchange(await this.authorize(parameters));
  }

  /** Returns an endpoint from the server's metadata. */
  endpoint(name: 'authorization_endpoint' | 'userinfo_endpoint' | 'jwks_uri'): string {
    return String(this.config.serverMetadata()[name]);
  }

  /** Returns the same with another user, who has not signed in yet. */
  withStranger(): RelyingParty {
    return new RelyingParty(this.#options, this.config, new Person(this.#options.url, `0x${'4'.repeat(64)}`));
  }

  withSecretInBody(): Promise<RelyingParty> {
    return RelyingParty.discover(this.#options, this.person, client.ClientSecretPost);
  }
}
